import type { Provider } from "#src/domain/provider";
import { anthropic } from "./anthropic";
import { demo } from "./demo";
import { openaiChat } from "./openai-chat";
import { responses, storedResponses } from "./responses";
import { workersAi } from "./workers-ai";

/** Every way a model can be spoken to. A new one is one file and one line here. */
export const providers: readonly Provider[] = [openaiChat, responses, storedResponses, anthropic, workersAi, demo];
