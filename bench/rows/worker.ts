// The system itself, with every row that its objects write counted.
import gateway, {
  ChatSession as RealChatSession,
  Pairing,
  Profile as RealProfile,
  Sandbox,
} from "../../workers/gateway";

let written = 0;
const open: { readonly rowsWritten: number }[] = [];

/** Counts what a storage writes: rows of every statement, and one for each alarm that is set. Source: Durable Objects pricing. */
function count(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  const setAlarm = storage.setAlarm.bind(storage);
  Object.defineProperty(sql, "exec", {
    value: (query: string, ...bindings: SqlStorageValue[]) => {
      const cursor = exec(query, ...bindings);
      if (!query.includes("CREATE TABLE")) open.push(cursor);
      return cursor;
    },
  });
  Object.defineProperty(storage, "setAlarm", {
    value: (at: number | Date) => {
      written += 1;
      return setAlarm(at);
    },
  });
}

export class ChatSession extends RealChatSession {
  constructor(ctx: DurableObjectState, env: Env) {
    count(ctx.storage);
    super(ctx, env);
  }
}

export class Profile extends RealProfile {
  constructor(ctx: DurableObjectState, env: Env) {
    count(ctx.storage);
    super(ctx, env);
  }
}

export { Pairing, Sandbox };

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext) {
    if (new URL(request.url).pathname !== "/rows") return gateway.fetch(request, env, ctx);
    written += open.splice(0).reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
    return Response.json({ written });
  },
} satisfies ExportedHandler<Env>;
