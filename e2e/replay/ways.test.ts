// What a page can need: which of it comes when the page is crawled by itself, and shown with its hosts gone.

import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { tryWays, type WaysOutcome } from './ways/ways-run.ts'
import { ways } from './ways/ways-site.ts'
import { writeTable, writtenRows } from './ways/ways-table.ts'

let outcome: WaysOutcome

beforeAll(async () => {
  outcome = await tryWays()
  if (process.env.WRITE_WAYS === '1') await writeTable(outcome)
})

describe('of a page that is crawled with all it needs', () => {
  test('all ways work as long as its hosts are there', () => {
    assert.deepEqual(outcome.dark, [])
  })

  test('all comes that can be found by reading', () => {
    const missing = Object.entries(ways).filter(
      ([id, { foundBy }]) => foundBy === 'reading' && !outcome.coming.has(id),
    )
    assert.deepEqual(
      missing.map(([id]) => id),
      [],
      outcome.complaints.join('\n'),
    )
  })

  test('all comes when a browser captures it', () => {
    const missing = Object.keys(ways).filter((id) => !outcome.comingWithBrowser.has(id))
    assert.deepEqual(missing, [], outcome.complaints.join('\n'))
  })

  test('docs/replay.md tells what comes', async () => {
    const rows = await writtenRows()
    const all = Object.entries(ways)
    assert.deepEqual(
      rows.map(({ what }) => what),
      all.map(([, { what }]) => what),
    )
    // What comes beyond that is no fault; the table is written anew by whoever taught the crawler.
    for (const [at, [id]] of all.entries()) {
      if (rows[at]!.comes) assert.ok(outcome.coming.has(id), id)
      if (rows[at]!.comesWithBrowser) assert.ok(outcome.comingWithBrowser.has(id), id)
    }
  })
})
