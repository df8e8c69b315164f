// What a route of /api/v1 says of itself in the OpenAPI document. Stands beside the route, so that both change together.

export interface Operation {
  readonly summary: string
  readonly query?: readonly OperationParameter[] | undefined
  /** The JSON Schema of the body. */
  readonly body?: object | undefined
  /** Media type of a good answer; JSON unless told. */
  readonly type?: string | undefined
  /** The JSON Schema of a good answer, where that is JSON. */
  readonly answer?: object | undefined
  /** Status of a good answer; 200 unless told. */
  readonly status?: number | undefined
}

interface OperationParameter {
  readonly name: string
  readonly description: string
  readonly isRequired?: boolean | undefined
  readonly schema?: object | undefined
}

export function parameter(
  name: string,
  description: string,
  schema: object = { type: 'string' },
): OperationParameter {
  return { name, description, schema }
}

export const count = { type: 'integer', minimum: 0 }
export const timestamp = { type: 'string', pattern: '^[0-9]{1,17}$', examples: ['20200131'] }

/** Parameters that say which captures are meant. */
export const selectionParameters: readonly OperationParameter[] = [
  parameter('url', 'this URL alone'),
  parameter('prefix', 'all URLs that start like this one'),
  parameter('host', 'all URLs of this host'),
  parameter('site', 'all URLs of this site: a registrable domain with its subdomains'),
  parameter('from', 'not older than this: 1 to 14 digits', timestamp),
  parameter('to', 'not newer than this: 1 to 14 digits', timestamp),
]

export function object(properties: Record<string, object>): object {
  return { type: 'object', properties }
}
