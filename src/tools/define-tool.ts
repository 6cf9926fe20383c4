import * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import type { ToolSchema } from "#src/domain/provider";
import type { Tool, ToolContext, ToolEffect, ToolOutcome, ToolParallel } from "#src/domain/tool";
import { parseArguments } from "./parse-arguments";

/** What the author of a tool writes down; its schema gives `execute` its types. */
export interface ToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly toolset: string;
  /** What the model reads: what it does, when to use it, what comes back. */
  readonly description: string;
  /** Fields of the arguments; `.describe` each one for the model. Fields that are not named here are refused. */
  readonly schema: Schema;
  readonly effect: ToolEffect;
  readonly parallel: ToolParallel<z.output<Schema>>;
  /** Characters; the turn's default when absent. */
  readonly maxResultChars?: number;
  /** May throw a GatewayError, whose sentence then is the outcome; what else it throws is a mistake of ours. */
  execute(args: z.output<Schema>, context: ToolContext): Promise<ToolOutcome>;
}

/** Makes a tool of its definition. Its JSON Schema is made when first asked for, so that starting stays cheap. */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool<z.output<Schema>> {
  const { schema, ...rest } = definition;
  let parameters: ToolSchema["parameters"] | undefined;
  return {
    ...rest,
    get parameters() {
      return (parameters ??= jsonSchemaOf(schema));
    },
    parse: (input) => parseArguments(definition.name, schema, input),
    execute: async (args, context) => {
      try {
        return await definition.execute(args, context);
      } catch (error) {
        if (error instanceof GatewayError) return failure(error.message);
        throw error;
      }
    },
  };
}

/** The outcome of a call that could not do what was asked; the text tells the model why and what to try. */
export function failure(content: string): ToolOutcome {
  return { content, isError: true };
}

function jsonSchemaOf(schema: z.ZodObject): ToolSchema["parameters"] {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
    io: "input",
    reused: "inline",
    override: ({ jsonSchema }) => {
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
      // bounds that every integer has say nothing to the model and cost tokens in every request
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return parameters;
}
