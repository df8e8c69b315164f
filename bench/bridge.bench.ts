// `npm run bench -- bridge [--events 20000] [--rounds 3]`: events and the rows that they change from a peer's HTTP interface into a real
// PostgreSQL, by the bridge (COPY in batches, each a transaction with its cursor), beside the same rows inserted one by one, by turns.
//
// Goal: 20,000 rows a second. HyperDog's databases took 800 to 2,000.

import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { startPostgres } from '../e2e/bridge/test-postgres.ts'
import { ToldArchive } from '../e2e/bridge/told-archive.ts'
import { PeerClient } from '../src/cli/peer/peer-client.ts'
import { PeerStream } from '../src/cli/peer/peer-stream.ts'
import { RealClock } from '../src/platform/real/clock.ts'
import { PostgresBridge } from '../src/platform/real/postgres/bridge-database.ts'
import { Bridge } from '../src/tables/bridge.ts'
import { printTable } from './measure.ts'

const linksPerPage = 20
/** Row by row is slow: so many are enough. */
const singleRows = 3_000

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: { events: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '3' } },
  })
  const events = Number(values.events)
  const server = await startPostgres()
  const archive = await ToldArchive.start({ events, urls: Math.ceil(events / 2), linksPerPage })
  try {
    const rows: string[][] = []
    for (let round = 1; round <= Number(values.rounds); round++) {
      const bridged = await bridge(server.url, archive.url, `round_${round}`)
      const single = await rowByRow(server.url, archive, `round_${round}`)
      rows.push([
        String(round),
        ...[bridged.filled, bridged.followed, single].map((rate) => Math.round(rate).toLocaleString('en')),
        `${(bridged.followed / single).toFixed(1)}×`,
      ])
    }
    console.log(
      printTable(['round', 'filled, rows/s', 'followed, rows/s', 'row by row, rows/s', 'ratio'], rows),
    )
    console.log(
      `\n${events} events; a page has 2 captures and ${linksPerPage} links. Followed: rows written anew and events.`,
    )
  } finally {
    await archive.close()
    await server.stop()
  }
}

/** What a new database begins with, and then the stream. */
async function bridge(
  database: string,
  peer: string,
  schema: string,
): Promise<{ filled: number; followed: number }> {
  const target = new PostgresBridge(database, schema)
  const source = new PeerStream(new PeerClient(peer, undefined))
  try {
    await target.begin()
    const startMs = performance.now()
    const filled = await target.fill((table) => source.allRows(table))
    const filledMs = performance.now()
    const following = new Bridge({ source, database: target, clock: new RealClock() })
    await following.run({ isFollowing: false, signal: new AbortController().signal })
    const endMs = performance.now()
    return {
      filled: (1_000 * filled) / (filledMs - startMs),
      followed: (1_000 * following.counts.rows) / (endMs - filledMs),
    }
  } finally {
    await target.close()
  }
}

/** Into the same tables, each row a statement, as whoever begins would do it. */
async function rowByRow(database: string, archive: ToldArchive, schema: string): Promise<number> {
  const sql = postgres(database, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(`set search_path to ${schema}`)
    const links = archive.urls.flatMap((url) => archive.rows('links', url)).slice(0, singleRows)
    const startMs = performance.now()
    for (const link of links) await sql`insert into links ${sql(link as Record<string, string>)}`
    return (1_000 * links.length) / (performance.now() - startMs)
  } finally {
    await sql.end()
  }
}
