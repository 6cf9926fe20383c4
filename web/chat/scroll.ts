import { $ } from "../shared/elements";

/** Pixels from the end within which new messages keep the end in sight. */
const NEAR_END_PX = 90;

const scroller = $("scroller");
let followsEnd = true;
/** Where the page scrolled to last. */
let lastTop = 0;

/** Keeps the end of the conversation in sight as long as the person stays near it. */
export function startScrolling(): void {
  $("newest").addEventListener("click", scrollToEnd);
  scroller.addEventListener("scroll", lookWhere);
  new ResizeObserver(keepEnd).observe($("column"));
  new ResizeObserver(keepEnd).observe(scroller);
}

export function isNearEnd(): boolean {
  return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
}

export function scrollToEnd(): void {
  followsEnd = true;
  scroller.scrollTop = scroller.scrollHeight;
  lastTop = scroller.scrollTop;
  $("newest").hidden = true;
}

/** Follows the end, unless the person is somewhere else. */
export function keepEnd(): void {
  if (followsEnd) scrollToEnd();
}

/** What a person unfolds at the end of the page stays where it is. */
export function stayHere(): void {
  followsEnd = false;
  requestAnimationFrame(lookWhere);
}

/** Does something that makes the conversation longer at its beginning; what is in sight stays there. */
export async function growAbove(work: () => Promise<void>): Promise<void> {
  const height = scroller.scrollHeight;
  await work();
  scroller.scrollTop += scroller.scrollHeight - height;
}

/** Who is at the end follows it until they go up: when it moves away by itself, as pictures come, they did not. */
function lookWhere(): void {
  const { scrollTop } = scroller;
  followsEnd = isNearEnd() || (followsEnd && scrollTop >= lastTop);
  lastTop = scrollTop;
  $("newest").hidden = followsEnd;
}
