// The archive's tables in DuckDB: as SQL, and as Parquet files that DuckDB reads back.

import assert from 'node:assert/strict'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { visitPage } from '../../crawl/fixtures/visited-page.ts'
import { Frontier } from '../../crawl/frontier/frontier.ts'
import { politenessOff } from '../../crawl/politeness/politeness-rules.ts'
import { tableNames, tables } from '../../formats/tables/columns.ts'
import { LinkGraph } from '../../graph/link-graph.ts'
import { storeArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { loadDuckDb, type SqlAnswer } from '../../platform/real/duckdb/duckdb.ts'
import { RealKeyValues } from '../../platform/real/key-value/key-value.ts'
import { RealRandom } from '../../platform/real/random.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { openChanges } from '../changes/open-changes.ts'
import { catchUpOf } from '../graph/peer-links.ts'
import { type ArchiveTables, parquetOf, partitionedOf } from './archive-tables.ts'
import { tablesOf } from './peer-tables.ts'

const [then, later, now] = [2020, 2021, 2022].map((year) => Date.UTC(year, 5)) as [number, number, number]

function withTables(body: (tables: ArchiveTables, folder: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await openStore()
    await store.append(
      pageCapture('http://a.test/', then, '<a href="/b">To b</a><a href="http://c.test/">C</a>'),
    )
    await store.append(pageCapture('http://a.test/', later, '<a href="/b">To b</a><a href="/new">New</a>'))
    await store.append(pageCapture('http://a.test/', now, '<a href="/b">To b</a><a href="/new">New</a>'))
    await store.append(
      pageCapture('http://a.test/b', then, '<a href="/">Home</a><script src="http://c.test/s.js"></script>'),
    )
    await store.append(pageCapture('http://a.test/b', later, 'gone', { status: 404 }))
    await store.append(pageCapture('http://a.test/b', now, '<a href="/">Home</a> again'))
    await store.append(pageCapture('http://d.test/', now, '<a href="http://a.test/">A</a>'))
    await store.append(pageCapture('http://hidden.test/', now, '<a href="http://a.test/">A</a>'))
    await store.takedown({ kind: 'site', site: 'hidden.test' }, 'asked for')
    const graph = new LinkGraph(await new RealKeyValues({ disk: new RealDisk() }).open(join(folder, 'graph')))
    const platform = { clock: new RealClock(), disk: new RealDisk(), breathe: async () => {} }
    const catchUp = catchUpOf({ platform, store, graph })
    await catchUp.pass().finally(() => catchUp.close())
    const jobs = {
      log: async function* () {
        yield { url: 'http://d.test/', outcome: 'new' }
        yield { url: 'http://a.test/', outcome: 'failed' }
      },
    }
    const random = new RealRandom()
    const map = await new RealKeyValues({ disk: new RealDisk() }).open(join(folder, 'frontier'))
    const frontier = new Frontier({ ...platform, random, keyValue: map }, { politeness: politenessOff })
    await visitPage(frontier, 'http://a.test/', 'one')
    await visitPage(frontier, 'http://a.test/', 'two')
    await visitPage(frontier, 'http://a.test/b', 'three')
    await visitPage(frontier, 'http://a.test/b', 'gone', { status: 404 })
    await visitPage(frontier, 'http://a.test/b', 'four')
    await visitPage(frontier, 'http://d.test/', 'five')
    await visitPage(frontier, 'http://hidden.test/', 'six')
    const changes = openChanges({ ...platform, random, frontier, isHidden: (url) => store.hides(url) })
    const needs = { platform, store, archive: storeArchive(store), graph, changes, jobs }
    const tables = tablesOf(needs, join(folder, 'tables'))
    try {
      await body(tables, folder)
    } finally {
      await tables.close()
      await changes.close()
      await frontier.flush()
      await map.close()
      await graph.close()
    }
  })
}

test('tables are asked by SQL: every capture, link and change, and nothing that was taken down', () =>
  withTables(async (tables) => {
    const answer = async (query: string) => (await tables.sql(query)).rows
    assert.deepEqual(await answer('select count(*) from captures'), [[7]])
    assert.deepEqual(await answer('select url, captures, versions, status from pages order by url'), [
      ['http://a.test/', 3, 2, 200],
      ['http://a.test/b', 3, 3, 200],
      ['http://d.test/', 1, 1, 200],
    ])
    assert.deepEqual(await answer('select kind, url from changes order by url, rowid'), [
      ['new', 'http://a.test/'],
      ['changed', 'http://a.test/'],
      ['new', 'http://a.test/b'],
      ['gone', 'http://a.test/b'],
      ['back', 'http://a.test/b'],
      ['new', 'http://d.test/'],
    ])
    const gone =
      "select to_url, text, year(gone) from links where from_url = 'http://a.test/' and gone is not null"
    assert.deepEqual(await answer(gone), [['http://c.test/', 'C', 2021]])
    assert.deepEqual(
      await answer("select from_url from links where to_url = 'http://a.test/' and gone is null order by 1"),
      [['http://a.test/b'], ['http://d.test/']],
    )
  }))

test('whoever asks by SQL reaches nothing but the tables, and not for long', () =>
  withTables(async (tables, folder) => {
    await tables.sql('select 1 from captures')
    for (const query of [
      "select * from read_csv('/etc/passwd')",
      "select * from read_text('/etc/passwd')",
      `copy captures to '${folder}/stolen.csv'`,
      `attach '${folder}/other.db' as other`,
      "set memory_limit = '100GB'",
      'set enable_external_access = true',
      'reset lock_configuration',
      'create table mine (a integer)',
      'drop table captures',
      'delete from captures',
      'install httpfs',
      "select * from 'http://127.0.0.1:1/x.parquet'",
      `export database '${folder}/all'`,
      'not sql at all',
    ])
      await assert.rejects(tables.sql(query), { code: 'sql-refused' }, query)
    assert.deepEqual((await tables.sql('select count(*) from captures')).rows, [[7]])
    const many = await tables.sql('select * from range(20000)')
    assert.equal(many.rows.length, 10_000)
    assert.equal(many.isCut, true)
  }))

test('a Parquet file has the rows and columns of its table, as another reader sees it', () =>
  withTables(async (tables, folder) => {
    for (const table of tableNames) {
      const file = join(folder, `${table}.parquet`)
      const rows = await Array.fromAsync(tables.rows(table))
      assert.equal(await parquetOf(table, tables.rows(table), file), rows.length)
      const { columns, rows: read } = await readParquet(file)
      assert.deepEqual(columns, tablesColumns(table))
      const expected = rows.map((row) => row.map(String)).sort()
      assert.deepEqual(read.map((row) => row.map(String)).sort(), expected)
    }
    const file = join(folder, 'job.parquet')
    assert.equal(await parquetOf('captures', tables.rows('captures', { job: 'j' }), file), 1)
    assert.equal(await parquetOf('captures', tables.rows('captures', { site: 'a.test' }), file), 6)
    assert.equal(await parquetOf('changes', tables.rows('changes', { site: 'a.test' }), file), 5)
    assert.equal(await parquetOf('changes', tables.rows('changes', { job: 'j' }), file), 1)
  }))

test('the sample jobs of docs/tables.md run on partitioned tables, and find every row', () =>
  withTables(async (tables, folder) => {
    const document = await readFile(join(import.meta.dirname, '../../../docs/tables.md'), 'utf8')
    for (const table of tableNames) {
      const rows = await Array.fromAsync(tables.rows(table))
      const target = join(folder, 'exported', table)
      await mkdir(join(folder, 'exported'), { recursive: true })
      assert.equal(await partitionedOf(table, tables.rows(table), target), rows.length)
      const { rows: read } = await answersOf(`select count(*) from '${target}/*/*/*.parquet'`)
      assert.deepEqual(read, [[BigInt(rows.length)]])
    }
    const days = await readdir(join(folder, 'exported', 'captures'))
    assert.deepEqual(days.sort(), ['day=2020-06-01', 'day=2021-06-01', 'day=2022-06-01'])
    const jobs = [...document.matchAll(/```duckdb\n([^`]+)```/g)].map(([, job]) => job!)
    assert.equal(jobs.length, 3)
    const answers: unknown[][][] = []
    for (const job of jobs) {
      const { rows } = await answersOf(job.replaceAll("'tables/", `'${join(folder, 'exported')}/`))
      answers.push(rows)
    }
    assert.deepEqual(
      answers[0]!.map(([day, captures]) => [day, captures]),
      [
        ['2020-06-01', 2n],
        ['2021-06-01', 2n],
        ['2022-06-01', 3n],
      ],
    )
    assert.deepEqual(answers[1], [[6n]])
    assert.ok(answers[2]!.length > 0)
  }))

test('the ten questions of docs/tables.md have answers, and its columns are those that there are', () =>
  withTables(async (tables) => {
    const document = await readFile(join(import.meta.dirname, '../../../docs/tables.md'), 'utf8')
    const questions = [...document.matchAll(/```sql\n([^`]+)```/g)].map(([, query]) => query!)
    assert.equal(questions.length, 10)
    for (const query of questions) {
      const { rows }: SqlAnswer = await tables.sql(query)
      assert.ok(rows.length > 0 || query.includes('status >= 400'), query)
    }
    for (const table of tableNames)
      for (const { name, type, about } of columnsOf(table))
        assert.ok(document.includes(`| \`${name}\` | ${type} | ${about} |`), `${table}.${name}`)
  }))

function columnsOf(table: (typeof tableNames)[number]) {
  return tables[table].columns
}

function tablesColumns(table: (typeof tableNames)[number]): string[] {
  return columnsOf(table).map(({ name }) => name)
}

/** Times as milliseconds. */
async function readParquet(file: string): Promise<{ columns: string[]; rows: unknown[][] }> {
  return answersOf(`select * from '${file}'`)
}

async function answersOf(query: string): Promise<{ columns: string[]; rows: unknown[][] }> {
  const { DuckDBInstance, DuckDBTimestampValue } = await loadDuckDb()
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const reader = await connection.runAndReadAll(query)
  const rows = reader
    .getRows()
    .map((row) => row.map((value) => (value instanceof DuckDBTimestampValue ? value.micros / 1_000n : value)))
  connection.closeSync()
  return { columns: reader.columnNames(), rows }
}
