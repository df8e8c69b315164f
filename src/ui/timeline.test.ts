import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { ListedArchive } from './fixtures/listed-archive.ts'
import { slotCapturesMax, slotCount, timelineOf } from './timeline.ts'

const href = 'http://a.example/'
const url = parseUrl(href)
const dayMs = 86_400_000
const startMs = Date.parse('2020-01-01')

function captures(...days: number[]): ListedArchive {
  return new ListedArchive(
    days.map((day) => ({ url: href, atMs: startMs + day * dayMs, content: `on ${day}` })),
  )
}

test('nothing captured, nothing drawn', async () => {
  assert.equal(await timelineOf(new ListedArchive([]), url, 0), undefined)
})

test('the first is at the start, the last at the end, the current one in its place', async () => {
  const timeline = (await timelineOf(captures(0, 50, 100), url, startMs + 50 * dayMs))!
  assert.deepEqual(
    timeline.slots.map(({ place, atMs }) => [place, (atMs - startMs) / dayMs]),
    [
      [0, 0],
      [slotCount / 2 - 1, 50],
      [slotCount - 1, 100],
    ],
  )
  assert(Math.abs(timeline.currentPlace - slotCount / 2) < 1)
})

test('a single capture is a timeline too: it stands in the middle', async () => {
  const { slots, currentPlace } = (await timelineOf(captures(3), url, startMs + 3 * dayMs))!
  assert.deepEqual([slots.length, slots[0]?.place, currentPlace], [1, slotCount / 2, slotCount / 2 + 0.5])
})

test('every capture lies in the slot of its time', async () => {
  const days = Array.from({ length: 300 }, (_, index) => index * index * 0.013)
  const { slots } = (await timelineOf(captures(...days), url, startMs))!
  const places = new Set(days.map((day) => Math.floor((day / days.at(-1)!) * slotCount * (1 - 1e-9))))
  assert.deepEqual(
    slots.map(({ place }) => place),
    [...places].sort((left, right) => left - right),
  )
})

test('a slot is marked as changed when something in it is', async () => {
  const same = Array.from({ length: 40 }, (_, day) => ({
    url: href,
    atMs: startMs + day * dayMs,
    content: day < 20 ? 'a' : 'b',
  }))
  const { slots } = (await timelineOf(new ListedArchive(same), url, startMs))!
  const changed = slots.filter((slot) => slot.changed)
  assert.deepEqual(
    changed.map(({ atMs }) => (atMs - startMs) / dayMs),
    [0, 20],
  )
})

test('ten thousand captures cost no more than the slots look at', async () => {
  const archive = captures(...Array.from({ length: 10_000 }, (_, index) => index / 10))
  await timelineOf(archive, url, startMs)
  assert(archive.given <= slotCount * (slotCapturesMax + 1) + 2, `${archive.given}`)
})
