// The bridge as a person runs it, into a real PostgreSQL, killed in the midst of batches.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { killed, watched } from '../../src/platform/fixtures/child-processes.ts'
import { until } from '../../src/platform/fixtures/until.ts'
import { startPeer } from '../api/peer.ts'
import { polyhistor, root, temporaryFolder } from '../command.ts'
import { page, startOrigin } from '../crawl/origin.ts'
import { startPostgres, type TestPostgres } from './test-postgres.ts'
import { ToldArchive } from './told-archive.ts'

let server: TestPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test('a bridge that is killed in the midst of batches misses nothing, and has nothing twice', async () => {
  const archive = await toldArchive({ events: 8_000, urls: 1_500, linksPerPage: 3 })
  const home = await temporaryFolder()
  for (const answersBefore of [1, 2, 4, 5, 7]) await killInMidst(archive, home, answersBefore)
  const { code, errors } = await bridge(archive, home, '--once')
  assert.equal(code, 0, errors)
  await check(archive, 'polyhistor', 8_000)
})

test('a batch is there whole or not at all, with its cursor', async () => {
  const archive = await toldArchive({ events: 2_000, urls: 2_000, linksPerPage: 2 })
  const home = await temporaryFolder()
  await killInMidst(archive, home, 1, 'whole')
  await withSql(async (sql) => {
    const [state] =
      await sql`select cursor, (select count(*)::integer from whole.changes) as changes from whole.bridge`
    assert.equal(state!.cursor === null ? 0 : Number(String(state!.cursor).slice(3)), state!.changes)
  })
  assert.equal((await bridge(archive, home, '--once', '--schema', 'whole')).code, 0)
  await check(archive, 'whole', 2_000)
  const again = await bridge(archive, home, '--once', '--schema', 'whole', '--json')
  assert.equal(JSON.parse(again.output).events, 50, 'only what is told again comes again')
  await check(archive, 'whole', 2_000)
})

test('a database of an earlier version gets the columns that it lacks, and keeps its rows', async () => {
  const archive = await toldArchive({ events: 100, urls: 50, linksPerPage: 3 })
  const home = await temporaryFolder()
  const once = () => bridge(archive, home, '--once', '--schema', 'earlier')
  assert.equal((await once()).code, 0)
  await withSql(async (sql) => {
    await sql`alter table earlier.changes drop column word_share, drop column links_added, drop column links_removed,
      drop column title_before, drop column title, drop column target_before, drop column target, drop column failures, drop column job`
    await sql`delete from earlier.migrations where number > 1`
  })
  const { code, errors } = await once()
  assert.equal(code, 0, errors)
  await check(archive, 'earlier', 100)
  await withSql(async (sql) => {
    await sql`select word_share, title, target, job from earlier.changes limit 1`
  })
})

test('a real peer: links, SQL, Parquet and the bridge tell the same of what was crawled and has changed', async () => {
  const origin = await startOrigin({ '/': page('/a', '/b'), '/a': page('/b'), '/b': page() })
  const home = await temporaryFolder()
  const peer = await startPeer(home)
  const run = async (...words: string[]) => {
    const outcome = await polyhistor([...words, '--home', home])
    assert.equal(outcome.code, 0, `${words.join(' ')}: ${outcome.errors}`)
    return outcome.output
  }
  const areSame = async (sql: postgres.Sql): Promise<boolean> => {
    for (const table of ['pages', 'captures', 'links', 'changes']) {
      const [{ rows }] = (await sql.unsafe(`select count(*)::integer as rows from real.${table}`)) as [
        { rows: number },
      ]
      const lines = (await (await fetch(`${peer.url}/api/v1/tables/${table}`)).text()).trim().split('\n')
      if (rows !== lines.length) return false
    }
    return true
  }
  const kindsOf = async (sql: postgres.Sql, path: string): Promise<string> => {
    const changes = await sql`select kind from real.changes where url = ${origin.url(path)} order by time`
    return changes.map(({ kind }) => kind).join()
  }
  // What has changed, and what links to what, is known a little after a crawl.
  const bridged = (path: string, kinds: string) =>
    until(`the database to have ${path} as ${kinds}`, async () => {
      await run('bridge', server.url, '--once', '--schema', 'real')
      let isThere = false
      await withSql(async (sql) => {
        isThere = (await areSame(sql)) && (await kindsOf(sql, path)) === kinds
      })
      return isThere
    })
  await run('crawl', origin.url('/'), '-q')
  await bridged('/b', 'new')
  origin.pages['/new'] = page()
  origin.pages['/a'] = page('/new')
  await run('crawl', origin.url('/a'), '-q')
  await bridged('/a', 'new,changed')
  await withSql(async (sql) => {
    const gone = await sql`select to_url from real.links where gone is not null`
    assert.deepEqual(
      gone.map(({ to_url }) => to_url),
      [origin.url('/b')],
    )
  })
  const links = (await run('links', '--to', origin.url('/b'), '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    links.map(({ from, gone }) => [from, gone === null]),
    [
      [origin.url('/'), true],
      [origin.url('/a'), false],
    ],
  )
  const [answer] = JSON.parse(`[${(await run('sql', 'select count(*) as n from links', '--json')).trim()}]`)
  assert.equal(answer.n, 4)
  const exported = JSON.parse(await run('export', join(home, 'links.parquet'), '--json'))
  assert.deepEqual([exported.table, exported.rows], ['links', 4])
})

test('sample queries of docs/bridge.md are answered', async () => {
  const { readFile } = await import('node:fs/promises')
  const archive = await toldArchive({ events: 20, urls: 10, linksPerPage: 2 })
  assert.equal((await bridge(archive, await temporaryFolder(), '--once', '--schema', 'samples')).code, 0)
  const document = await readFile(join(root, 'docs', 'bridge.md'), 'utf8')
  const queries = [...document.matchAll(/```sql\n([^`]+)```/g)].map(([, query]) => query!)
  assert.ok(queries.length >= 4)
  await withSql(async (sql) => {
    for (const query of queries) await sql.unsafe(query.replaceAll('polyhistor.', 'samples.'))
  })
})

test('what is wrong is said: no database, no address', async () => {
  const archive = await toldArchive({ events: 1, urls: 1, linksPerPage: 0 })
  const home = await temporaryFolder()
  const words = ['--home', home, '--peer', archive.url, 'bridge']
  const away = await polyhistor([...words, 'postgres://postgres:password@127.0.0.1:1/none', '--once'])
  assert.equal(away.code, 69)
  assert.match(away.errors, /PostgreSQL/)
  assert.equal((await polyhistor([...words, 'mysql://x'])).code, 64)
})

async function toldArchive(options: Parameters<typeof ToldArchive.start>[0]): Promise<ToldArchive> {
  const archive = await ToldArchive.start(options)
  onTestFinished(() => archive.close())
  return archive
}

function bridge(archive: ToldArchive, home: string, ...more: string[]) {
  return polyhistor(['--home', home, '--peer', archive.url, 'bridge', server.url, ...more])
}

/** Killed when so many answers with rows were asked for, and the next is half sent. */
async function killInMidst(
  archive: ToldArchive,
  home: string,
  answersBefore: number,
  schema = 'polyhistor',
): Promise<void> {
  const words = ['--home', home, '--peer', archive.url, 'bridge', server.url, '--schema', schema]
  const child = watched(spawn(join(root, 'bin', 'polyhistor'), words, { stdio: 'ignore' }))
  let answers = 0
  await new Promise<void>((resolve, reject) => {
    archive.whenHalf = async () => {
      if (answers++ < answersBefore) return
      await killed(child)
      resolve()
    }
    child.once('exit', (code) => (code === null ? undefined : reject(new Error(`it ended with ${code}`))))
  })
  archive.whenHalf = undefined
}

/** The database has what the archive has. */
async function check(archive: ToldArchive, schema: string, events: number): Promise<void> {
  await withSql(async (sql) => {
    const ids = await sql.unsafe(`select id from ${schema}.changes order by id`)
    const expected = Array.from({ length: events }, (_, number) => `event-${number}`).sort()
    assert.deepEqual(ids.map((row) => row.id).sort(), expected)
    for (const [table, key] of [
      ['pages', 'url'],
      ['captures', 'record'],
      ['links', 'to_url'],
    ] as const) {
      const keys = await sql.unsafe(`select "${key}" as key from ${schema}.${table}`)
      const truth = archive.urls.flatMap((url) => archive.rows(table, url))
      const named = (row: object): string => String((row as Record<string, unknown>)[key])
      assert.deepEqual(keys.map((row) => String(row.key)).sort(), truth.map(named).sort(), table)
    }
    const [link] = await sql.unsafe(
      `select text, first_seen from ${schema}.links where to_url = 'http://b.test/3/1'`,
    )
    assert.equal(link!.text, 'Tab\tline\nback\\slash 1')
    assert.equal((link!.first_seen as Date).getTime(), Date.UTC(2026, 0) + 3_000)
  })
}

async function withSql(work: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const sql = postgres(server.url, { max: 1, onnotice: () => {} })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}
