import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { Course } from './course.ts'
import type { SiteEntry, SiteFrontier, Value } from './site-frontier.ts'
import { notBegun, type Stage } from './stage.ts'

const tenure = { epoch: 1, since: 1, established: 0 }
const at = (sequence: number): Stage => ({ epoch: 1, sequence })
const changed = (entries: Record<string, Value | null>) => new Map(Object.entries(entries))
const begun = () => new Course(ringKeyOf('site'), tenure, notBegun)

test('of what changes several times the last is sent', () => {
  const course = begun()
  course.note(at(1), changed({ a: '1', b: '1' }))
  course.note(at(2), changed({ a: '2', b: null }))
  const { load, entries } = course.changes()
  assert.deepEqual(load, { kind: 'changes', after: notBegun, upTo: at(2) })
  assert.deepEqual(Object.fromEntries(entries), { a: '2', b: null })
  course.taken(load)
  assert.deepEqual([course.acked, course.isDue], [at(2), false])
})

test('what was not answered is sent again, under what has changed since', () => {
  const course = begun()
  course.note(at(1), changed({ a: '1', b: '1' }))
  course.changes()
  course.note(at(2), changed({ a: '2' }))
  const { load, entries } = course.changes()
  assert.deepEqual(load, { kind: 'changes', after: notBegun, upTo: at(2) })
  assert.deepEqual(Object.fromEntries(entries), { a: '2', b: '1' })
})

test('a job that is started anew takes back what was to be sent of it', () => {
  const course = begun()
  course.note(at(1), changed({ ka: '1', l: '1' }))
  course.changes()
  course.note(at(2), changed({ '*k': '', kb: '2' }))
  assert.deepEqual(course.changes().entries, [
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
  const course = begun()
  course.note(at(3), changed({ before: 'is read anyway' }))
  course.beginCopy()
  const bytes = (text: string) => Buffer.from(text)
  const pieces: SiteEntry[][] = [[['a', bytes('1')]], [['b', bytes('1')]]]
  const frontier = changingFrontier(pieces, () => course.note(at(5), changed({ b: 'committed' })))
  const first = await course.part(frontier, 9, 100)
  assert.deepEqual(first.load, { kind: 'copy', copy: 9, index: 0, upTo: undefined })
  assert.deepEqual(await course.part(frontier, 10, 100), first, 'not answered: the same again')
  course.note(at(4), changed({ a: 'changed since' }))
  course.taken(first.load)
  const last = await course.part(frontier, 9, 100)
  assert.deepEqual(last.load, { kind: 'copy', copy: 9, index: 1, upTo: at(5) })
  assert.deepEqual(last.entries, [
    ['b', bytes('1')],
    ['a', 'changed since'],
    ['b', 'committed'],
  ])
  course.taken(last.load)
  assert.deepEqual([course.acked, course.isCopying, course.isDue], [at(5), false, false])
})
