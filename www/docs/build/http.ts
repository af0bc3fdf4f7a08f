// The page of the HTTP API, from the server's OpenAPI document.
import { readFileSync } from 'node:fs';
import { cell } from './commands.ts';

interface Schema {
  $ref?: string;
  type?: string;
  items?: Schema;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}
interface Operation {
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; description?: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, { $ref?: string; description?: string }>;
}
interface OpenAPI {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, { description?: string }>;
  };
}

const file = new URL('../../../tools/service/server/openapi.json', import.meta.url);

export function http(): string {
  const { paths, components } = JSON.parse(readFileSync(file, 'utf8')) as OpenAPI;
  const parts = [
    '# HTTP API',
    '`bagscope serve` offers these routes. The page is made from the server’s OpenAPI document, ' +
      'which it returns at `/v1/openapi.json`. [Run a server](../../tools/service/server/README.md) ' +
      'shows requests; an error is a problem as RFC 9457 defines it.',
    '## Routes',
  ];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      parts.push(...route(`${method.toUpperCase()} ${path}`, operation, components.responses));
  parts.push('## Objects');
  for (const [name, schema] of Object.entries(components.schemas))
    parts.push(`### ${name}`, ...object(schema));
  return parts.filter(Boolean).join('\n\n');
}

function route(name: string, o: Operation, shared: OpenAPI['components']['responses']): string[] {
  const answers = Object.entries(o.responses).map(([status, answer]) => {
    const text = answer.description ?? shared[answer.$ref!.split('/').pop()!]?.description ?? '';
    return `| ${status} | ${cell(text)} |`;
  });
  const bodies = Object.entries(o.requestBody?.content ?? {});
  return [
    `### \`${name}\``,
    `${cell(o.summary)}.`,
    cell(o.description ?? ''),
    table(
      'parameter',
      (o.parameters ?? []).map((p) => [p.name, { ...p.schema, ...p }]),
    ),
    ...bodies.flatMap(([type, { schema = {} }]) => [`Request, \`${type}\`:`, ...object(schema)]),
    ['| status | answer |', '| --- | --- |', ...answers].join('\n'),
  ];
}

/** What an object holds: its description, and a table of its keys. */
function object(schema: Schema): string[] {
  const keys = Object.entries(schema.properties ?? {});
  return [
    cell(schema.description ?? ''),
    keys.length ? table('key', keys, schema.required) : `${kind(schema)}.`,
  ];
}

function table(first: string, keys: [string, Schema][], required: readonly string[] = []): string {
  if (!keys.length) return '';
  const rows = keys.map(([name, schema]) => {
    const needed = required.includes(name) ? ', required' : '';
    return `| \`${name}\` | ${kind(schema)}${needed} | ${cell(schema.description ?? '')} |`;
  });
  return [`| ${first} | type | meaning |`, '| --- | --- | --- |', ...rows].join('\n');
}

/** The type of a value in a few words. */
function kind(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop()!;
    return `[${name}](#${name.toLowerCase()})`;
  }
  const several = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (several) return several.map(kind).join(schema.allOf ? ' and ' : ' or ');
  if (schema.enum) return schema.enum.map((word) => `\`${String(word)}\``).join(', ');
  if (schema.type === 'array') return `list of ${kind(schema.items ?? {})}`;
  const values = schema.additionalProperties;
  if (typeof values === 'object') return `object of ${kind(values)}`;
  return schema.type ?? 'any value';
}
