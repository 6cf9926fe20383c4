import { $ } from "./elements";
import { kept } from "./keep";

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = (): string => (prefersDark.matches ? "dark" : "light");

/** Shows the page in the chosen colours, and has the switch change them; all pages share the choice. */
export function startTheme(): void {
  $("theme").addEventListener("click", switchTheme);
  prefersDark.addEventListener("change", showTheme);
  showTheme();
}

function showTheme(): void {
  const chosen = kept.get("theme");
  if (chosen === null) delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
  const words = `Switch to ${otherTheme()}`;
  $("theme").setAttribute("aria-label", words);
  $("theme").title = words;
}

/** A choice that the system shares is no choice: then the page follows the system again. */
function switchTheme(): void {
  const other = otherTheme();
  if (other === systemTheme()) kept.remove("theme");
  else kept.set("theme", other);
  showTheme();
}

function otherTheme(): string {
  return (kept.get("theme") ?? systemTheme()) === "dark" ? "light" : "dark";
}
