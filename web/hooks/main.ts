// The page of the hooks: puts its parts together, and shows the view that the address names.
import { readAddress } from "../shared/address";
import { askForToken, leaveDoor, startDoor } from "../shared/door";
import { $ } from "../shared/elements";
import { kept } from "../shared/keep";
import { startTheme } from "../shared/theme";
import { startCalls } from "./calls-view";
import { startHooks } from "./hooks-view";
import { look, stopLooking } from "./look";
import { startModules } from "./modules-view";
import { onChange } from "./state";
import { startTrying } from "./try-view";
import { draw, showView } from "./views";

function followAddress(): void {
  showView(readAddress().named.get("view") ?? "hooks");
}

function lookAtAll(): void {
  void look({ isWhole: true });
}

onChange(draw);
startDoor({
  onShut: stopLooking,
  onToken() {
    leaveDoor();
    lookAtAll();
  },
});
startHooks();
startTrying();
startCalls();
startModules();

document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  $("title").focus();
});
addEventListener("hashchange", () => {
  followAddress();
  lookAtAll();
  $("title").focus();
});
addEventListener("online", () => void look());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stopLooking();
  else void look();
});

startTheme();
followAddress();
if (kept.get("token") === null) askForToken("");
else lookAtAll();
