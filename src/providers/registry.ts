import type { Provider } from "#src/domain/provider";
import { demo } from "./demo";
import { openaiChat } from "./openai-chat";
import { workersAi } from "./workers-ai";

/** Every way a model can be spoken to. A new one is one file and one line here. */
export const providers: readonly Provider[] = [openaiChat, workersAi, demo];
