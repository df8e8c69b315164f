// The OpenAPI document, made from the routes themselves: what is not served is not in it, and what is in it is served.

import { jsonAnswer } from '../answers.ts'
import type { Route } from '../route.ts'
import type { Operation } from './operation.ts'

const prefix = '/api/v1'

export function openApiRoutes(routes: readonly Route[], version: string): Route[] {
  const own = (path: string): Route => ({
    methods: ['GET'],
    host: 'archive',
    path,
    isForEveryOrigin: true,
    operation: { summary: 'All operations with their parameters, as an OpenAPI document' },
    handle: () => jsonAnswer(document),
  })
  const served = own(`${prefix}/openapi.json`)
  const document = openApiDocument([...routes, served], version)
  // Where people and tools look for it first.
  return [served, own('/openapi.json')]
}

export interface DescribedOperation {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly writes: boolean
}

/** The operations of the document, in the order of their addresses. */
export function describedOperations(routes: readonly Route[]): DescribedOperation[] {
  const all = routes.flatMap(({ path, methods, operation, writes = false, isForOwner }) => {
    if (typeof path !== 'string' || !path.startsWith(prefix)) return []
    return methods.map((method) => ({
      method,
      path,
      summary: operation?.summary ?? path,
      writes: writes || isForOwner === true,
    }))
  })
  return all.sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0))
}

function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const { path, operation = { summary: String(path) } } = route
    if (typeof path !== 'string' || !path.startsWith(prefix)) continue
    const item = (paths[path] ??= {})
    for (const method of route.methods) item[method.toLowerCase()] = described(route, path, operation)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Polyhistor',
      version,
      description: 'A web archive: captures to read, crawls to begin and follow.',
      license: { name: 'AGPL-3.0-or-later', identifier: 'AGPL-3.0-or-later' },
    },
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The file token of the home folder.' },
      },
      schemas: { Error: errorSchema },
      responses: { Error: { description: 'What went wrong.', content: json(ref('schemas')) } },
    },
  }
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
    },
  },
}

function described(route: Route, path: string, operation: Operation): object {
  const { summary, query = [], body, status = 200 } = operation
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const asked = query.map(({ name, description, isRequired, schema = { type: 'string' } }) => ({
    name,
    in: 'query',
    description,
    ...(isRequired && { required: true }),
    schema,
  }))
  return {
    summary,
    ...(named.length + asked.length > 0 && { parameters: [...named, ...asked] }),
    ...(body !== undefined && { requestBody: { required: true, content: json(body) } }),
    ...((route.writes || route.isForOwner) && { security: [{ token: [] }] }),
    responses: {
      [status]: { description: summary, content: contentOf(operation) },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function contentOf({ type, answer = { type: 'object' } }: Operation): object {
  return type === undefined ? json(answer) : { [type]: {} }
}

function json(schema: object): object {
  return { 'application/json': { schema } }
}

function ref(kind: string): object {
  return { $ref: `#/components/${kind}/Error` }
}
