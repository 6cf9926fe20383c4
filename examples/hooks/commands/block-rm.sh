#!/bin/sh
# Refuses `rm -rf` in Hermes, Starchild, ClawdCode and Claude Code alike: all four hand over the call as JSON, take exit
# code 2 for a refusal and what stands on stderr for its reason.
if grep -Eq 'rm +(-[A-Za-z-]+ +)*-[A-Za-z]*([rR][A-Za-z]*f|f[A-Za-z]*[rR])'; then
  echo "rm -rf is not allowed here." >&2
  exit 2
fi
