// SQLite's FTS5, by node:sqlite: with its own bm25, which takes no statistics of other peers.

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Contender, latenciesOf } from './contender.ts'

const pagesPerTransaction = 2_000

export async function fts5(): Promise<Contender> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-fts5-'))
  const path = join(folder, 'index.sqlite')
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = normal')
  database.exec("create virtual table pages using fts5(title, body, url, tokenize = 'porter unicode61')")
  const insert = database.prepare('insert into pages (title, body, url) values (?, ?, ?)')
  const ask = database.prepare(
    "select url, title, snippet(pages, 1, '<', '>', '…', 30) from pages where pages match ? order by bm25(pages, 8, 1, 4) limit 10",
  )
  const count = database.prepare('select count(*) from pages where pages match ?')
  return {
    name: 'SQLite FTS5',
    index: async (pages) => {
      let written = 0
      database.exec('begin')
      for (const { title, text, url } of pages) {
        insert.run(title, text, url)
        if (++written % pagesPerTransaction === 0) database.exec('commit; begin')
      }
      database.exec('commit; pragma wal_checkpoint(truncate)')
    },
    bytes: async () => (await stat(path)).size,
    processorSeconds: () => 'here',
    latencies: async (queries, callers) =>
      callers > 1
        ? undefined
        : latenciesOf(queries, 1, (words) => {
            const match = words.map((word) => `"${word}"`).join(' ')
            ask.all(match)
            count.all(match)
          }),
    close: async () => {
      database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
