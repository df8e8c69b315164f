// PostgreSQL's full text: a weighted tsvector with a GIN index, ranked by ts_rank.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { startPostgres } from '../../e2e/bridge/test-postgres.ts'
import { processorSecondsOfTree } from '../scale/processor-time.ts'
import { type Contender, latenciesOf } from './contender.ts'
import type { Page } from './corpus.ts'

const rowsAtOnce = 500

export async function postgresql(): Promise<Contender> {
  const server = await startPostgres()
  const sql = postgres(server.url, { max: 8, onnotice: () => {} })
  await sql`create table pages (url text primary key, title text, body text, words tsvector)`
  await sql`create index on pages using gin (words)`
  const insert = (rows: readonly Page[]) => sql`
    insert into pages select url, title, body,
      setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'D')
    from unnest(${rows.map(({ url }) => url)}::text[], ${rows.map(({ title }) => title)}::text[],
      ${rows.map(({ text }) => text)}::text[]) as given (url, title, body)`
  return {
    name: 'PostgreSQL',
    index: async (pages) => {
      let rows: Page[] = []
      for (const page of pages) {
        if (rows.push(page) < rowsAtOnce) continue
        await insert(rows)
        rows = []
      }
      if (rows.length > 0) await insert(rows)
      await sql`vacuum analyze pages`
    },
    bytes: async () => Number((await sql`select pg_total_relation_size('pages') as bytes`)[0]!.bytes),
    processorSeconds: async () => {
      const folder = (await sql`select current_setting('data_directory') as folder`)[0]!.folder as string
      return processorSecondsOfTree(
        Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10),
      )
    },
    latencies: (queries, callers) =>
      latenciesOf(
        queries,
        callers,
        (words) => sql`
          with found as (select url, title, body, words, query from pages, plainto_tsquery('english', ${words.join(' ')}) query
            where words @@ query),
          best as (select * from found order by ts_rank(words, query, 1) desc limit 10)
          select url, title, ts_headline('english', body, query), (select count(*) from found) from best`,
      ),
    close: async () => {
      await sql.end()
      await server.stop()
    },
  }
}
