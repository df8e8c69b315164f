import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { massRemovals, type RemovalStatus, removalWarnings } from './removals.ts'

const atMs = Date.UTC(2026, 0, 1)
const finalAtMs = Date.UTC(2026, 0, 31)

function takedown(site: string, captures: number, ofCaptures: number, by?: string) {
  return { target: { kind: 'site', site }, by, atMs, finalAtMs, captures, ofCaptures }
}

describe('a mass removal', () => {
  test('is more than a tenth, or more than a thousand captures', () => {
    assert.deepEqual(massRemovals([takedown('a.example', 10, 100)]), [])
    assert.equal(massRemovals([takedown('a.example', 11, 100)]).length, 1)
    assert.deepEqual(massRemovals([takedown('a.example', 1_000, 1_000_000)]), [])
    assert.equal(massRemovals([takedown('a.example', 1_001, 1_000_000)]).length, 1)
    assert.deepEqual(massRemovals([takedown('a.example', 0, 0)]), [])
  })

  test('can be made of many small takedowns of one author', () => {
    const many = Array.from({ length: 20 }, (_, site) => takedown(`s${site}.example`, site, 1_000, 'peer-a'))
    const others = [takedown('b.example', 90, 1_000, 'peer-b')]
    const [mass, ...more] = massRemovals([...many, ...others])
    assert.deepEqual(more, [])
    assert.deepEqual(
      [mass!.by, mass!.takedowns, mass!.captures, mass!.what],
      ['peer-a', 20, 190, '--site s19.example'],
    )
  })

  test('is told with who asked, when, how many, and until when it can be undone', () => {
    const mass = massRemovals([takedown('a.example', 60, 100, 'peer-of-somebody')])
    const removals: RemovalStatus = {
      hidden: 60,
      droppedForOthers: 0,
      destroyed: 0,
      missing: 3,
      quarantinedTakedowns: 1,
      mass,
    }
    const [first, second, third] = removalWarnings(removals, 'this peer')
    assert.match(
      first!,
      /^60 of 100 captures of this peer are hidden by a takedown that peer …somebody asked for at 2026-01-01 00:00 UTC .* undone until 2026-01-31 00:00 UTC: polyhistor takedown --release --site a\.example$/,
    )
    assert.match(second!, /^3 captures of this peer are missing that nobody removed\./)
    assert.match(third!, /^1 stored takedowns/)
    assert.deepEqual(removalWarnings({ ...removals, mass: [], missing: 0, quarantinedTakedowns: 0 }, 'x'), [])
  })
})
