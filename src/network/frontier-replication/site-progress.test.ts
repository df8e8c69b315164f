import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { type LogPosition, logStart } from './log-position.ts'
import type { SiteEntry, SiteFrontier, Value } from './site-frontier.ts'
import { SiteProgress } from './site-progress.ts'

const tenure = { epoch: 1, since: 1, established: 0 }
const at = (sequence: number): LogPosition => ({ epoch: 1, sequence })
const changed = (entries: Record<string, Value | null>) => new Map(Object.entries(entries))
const begun = () => new SiteProgress(ringKeyOf('site'), tenure, logStart)

test('of what changes several times the last is sent', () => {
  const progress = begun()
  progress.note(at(1), changed({ a: '1', b: '1' }))
  progress.note(at(2), changed({ a: '2', b: null }))
  const { load, entries } = progress.changes()
  assert.deepEqual(load, { kind: 'changes', after: logStart, upTo: at(2) })
  assert.deepEqual(Object.fromEntries(entries), { a: '2', b: null })
  progress.acknowledge(load)
  assert.deepEqual([progress.acked, progress.isDue], [at(2), false])
})

test('what was not answered is sent again, under what has changed since', () => {
  const progress = begun()
  progress.note(at(1), changed({ a: '1', b: '1' }))
  progress.changes()
  progress.note(at(2), changed({ a: '2' }))
  const { load, entries } = progress.changes()
  assert.deepEqual(load, { kind: 'changes', after: logStart, upTo: at(2) })
  assert.deepEqual(Object.fromEntries(entries), { a: '2', b: '1' })
})

test('a job that is started anew takes back what was to be sent of it', () => {
  const progress = begun()
  progress.note(at(1), changed({ ka: '1', l: '1' }))
  progress.changes()
  progress.note(at(2), changed({ '*k': '', kb: '2' }))
  assert.deepEqual(progress.changes().entries, [
    ['l', '1'],
    ['*k', ''],
    ['kb', '2'],
  ])
})

/** Whose site changes when it is told to commit. */
function changingFrontier(pieces: SiteEntry[][], commit: () => void): SiteFrontier {
  return {
    read: (_site: unknown, from: string | undefined) => {
      const index = Number(from ?? 0)
      return { entries: pieces[index]!, next: index + 1 < pieces.length ? String(index + 1) : undefined }
    },
    committed: async () => commit(),
  } as unknown as SiteFrontier
}

test('the last part of a copy brings all that changed while it was read, committed', async () => {
  const progress = begun()
  progress.note(at(3), changed({ before: 'is read anyway' }))
  progress.beginCopy()
  const bytes = (text: string) => Buffer.from(text)
  const pieces: SiteEntry[][] = [[['a', bytes('1')]], [['b', bytes('1')]]]
  const frontier = changingFrontier(pieces, () => progress.note(at(5), changed({ b: 'committed' })))
  const first = await progress.part(frontier, 9, 100)
  assert.deepEqual(first.load, { kind: 'copy', copy: 9, index: 0, upTo: undefined })
  assert.deepEqual(await progress.part(frontier, 10, 100), first, 'not answered: the same again')
  progress.note(at(4), changed({ a: 'changed since' }))
  progress.acknowledge(first.load)
  const last = await progress.part(frontier, 9, 100)
  assert.deepEqual(last.load, { kind: 'copy', copy: 9, index: 1, upTo: at(5) })
  assert.deepEqual(last.entries, [
    ['b', bytes('1')],
    ['a', 'changed since'],
    ['b', 'committed'],
  ])
  progress.acknowledge(last.load)
  assert.deepEqual([progress.acked, progress.isCopying, progress.isDue], [at(5), false, false])
})
