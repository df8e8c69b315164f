// `/api/v1/tables/{table}`: the archive's tables as JSON lines. `/api/v1/sql`: questions to them, for the owner.

import {
  isTableName,
  type Row,
  type TableName,
  tableNames,
  tables,
  type Value,
} from '../../formats/tables/columns.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import { dataAnswer, gathered, jsonAnswer, linesType } from '../answers.ts'
import { ApiError } from '../api-error.ts'
import type { Route } from '../route.ts'
import { object, parameter } from './operation.ts'

/** All, where neither is given. */
export interface TableSelection {
  readonly site?: string | undefined
  /** The id of a job: what it fetched. */
  readonly job?: string | undefined
}

export interface TableService {
  rows(table: TableName, of: TableSelection): AsyncIterable<Row>
  rowsOfUrls(table: TableName, urls: readonly string[]): AsyncIterable<Row>
  sql(
    query: string,
  ): Promise<{ columns: readonly string[]; rows: readonly (readonly unknown[])[]; isCut: boolean }>
}

const queryCharsMax = 100_000
const urlsMax = 1_000

export function tableRoutes({ tables: service }: { tables: TableService }): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/tables/{table}',
      operation: {
        summary: `A table of what this peer keeps (${tableNames.join(', ')}), a JSON object a line`,
        query: [
          parameter('site', 'of this site alone'),
          parameter('job', 'of what the job with this id fetched'),
        ],
        type: 'application/x-ndjson',
      },
      handle: ({ parameters, query }) => {
        const table = tableOf(parameters.table)
        const [site, job] = [query.get('site'), query.get('job')]
        const rows = service.rows(table, {
          site: site ? urlFromTyped(site).site : undefined,
          job: job || undefined,
        })
        return dataAnswer(linesType, gathered(lines(table, rows)))
      },
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/tables/{table}',
      // One question may be a thousand to other peers.
      writes: true,
      operation: {
        summary:
          'The rows of up to 1,000 URLs (of links: from them), whichever peers keep them, a JSON object a line',
        body: object({ urls: { type: 'array', items: { type: 'string' } } }),
        type: 'application/x-ndjson',
      },
      handle: async (request) => {
        const table = tableOf(request.parameters.table)
        const { urls } = ((await request.json()) ?? {}) as { urls?: unknown }
        if (!Array.isArray(urls) || urls.length > urlsMax || !urls.every((url) => typeof url === 'string'))
          throw new ApiError('request-bad-parameter', `Say whose rows: {"urls": [ … ]}, at most ${urlsMax}.`)
        return dataAnswer(linesType, gathered(lines(table, service.rowsOfUrls(table, urls))))
      },
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/sql',
      writes: true,
      operation: {
        summary: 'Answers a query in SQL (DuckDB) about the tables of what this peer keeps; reading only',
        body: object({ query: { type: 'string', examples: ['select count(*) from captures'] } }),
        answer: object({
          columns: { type: 'array', items: { type: 'string' } },
          rows: { type: 'array', items: { type: 'array' } },
          isCut: { type: 'boolean', description: 'There were more rows than are given.' },
        }),
      },
      handle: async (request) => {
        const { query } = ((await request.json()) ?? {}) as { query?: unknown }
        if (typeof query !== 'string' || query === '' || query.length > queryCharsMax)
          throw new ApiError('request-bad-parameter', 'Say what to ask: {"query": "select …"}.')
        return jsonAnswer(await service.sql(query))
      },
    },
  ]
}

function tableOf(name = ''): TableName {
  if (isTableName(name)) return name
  throw new ApiError(
    'request-bad-parameter',
    `There is no table ${name}: there are ${tableNames.join(', ')}.`,
  )
}

async function* lines(table: TableName, rows: AsyncIterable<Row>): AsyncGenerator<string> {
  for await (const row of objectsOf(table, rows)) yield `${JSON.stringify(row)}\n`
}

/** As JSON says it: times are ISO 8601. */
export async function* objectsOf(table: TableName, rows: AsyncIterable<Row>): AsyncGenerator<object> {
  const { columns } = tables[table]
  for await (const row of rows) {
    const pairs = columns.map(({ name, type }, place): [string, Value] => {
      const value = row[place] ?? null
      return [name, type === 'time' && value !== null ? new Date(Number(value)).toISOString() : value]
    })
    yield Object.fromEntries(pairs)
  }
}

/** The other way round. */
export function rowOf(table: TableName, given: Readonly<Record<string, Value | undefined>>): Row {
  return tables[table].columns.map(({ name, type }) => {
    const value = given[name] ?? null
    return type === 'time' && typeof value === 'string' ? Date.parse(value) : value
  })
}
