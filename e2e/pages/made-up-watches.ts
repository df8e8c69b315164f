// Watches as somebody would have them after some weeks: one that saw much, one whose selector selects nothing, one whose page is gone, one
// that is paused, one of hostile names; and a receiver that is down. Nothing is followed: the stream is empty.

import { join } from 'node:path'
import { type OpenWatches, openWatches } from '../../src/app/changes/open-watches.ts'
import { realPlatform } from '../../src/app/real-platform.ts'
import {
  noExcerpt,
  stateAtFirst,
  type WatchSighting,
  type WatchState,
} from '../../src/changes/watches/page-watch.ts'
import { WatchBook } from '../../src/changes/watches/watch-book.ts'
import type { WatchedChanges } from '../../src/changes/watches/watch-follower.ts'
import { readWatch, type WrittenWatch } from '../../src/changes/watches/written-watch.ts'
import { newSecret } from '../../src/changes/webhooks/signature.ts'
import { trialMessage, watchMessage } from '../../src/changes/webhooks/watch-message.ts'
import { WebhookBook } from '../../src/changes/webhooks/webhook-book.ts'
import { storeArchive } from '../../src/network/remote-reads/archive/readable-archive.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { Store } from '../../src/store/store.ts'
import type { MadeUpJobs } from './made-up-jobs.ts'
import { MadeUpRules } from './made-up-rules.ts'
import { hostileUrl, paper } from './sample-archive.ts'

const dayMs = 86_400_000
const nowMs = Date.parse('2026-06-30T12:00:00Z')
const ids = [1, 2, 3, 4, 5].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`)
export const firstWatch = ids[0]!

const changed = (index: number, more: Partial<WatchSighting> = {}): WatchSighting => ({
  id: Buffer.alloc(16, index + 1),
  stamp: nowMs - index * 3 * dayMs,
  atMs: nowMs - index * 3 * dayMs - 7_000,
  kind: 'changed',
  url: paper,
  isFirst: false,
  part: 'found',
  partBefore: 'found',
  wordShare: ((index * 7) % 10) / 20,
  beforeMs: nowMs - (index + 1) * 3 * dayMs,
  status: 200,
  target: undefined,
  title: 'The Paper',
  excerpt: {
    rows: [
      {
        kind: 'changed',
        left: [
          { text: 'The harbour opens at ', isMarked: false },
          { text: 'eight', isMarked: true },
          { text: ' on all days but Sunday, and the ferry leaves when the tide allows it', isMarked: false },
        ],
        right: [
          { text: 'The harbour opens at ', isMarked: false },
          { text: 'half past nine', isMarked: true },
          { text: ' on all days but Sunday, and the ferry leaves when the tide allows it', isMarked: false },
        ],
      },
      { kind: 'added', text: 'A storm is expected <b>tonight</b>.' },
      { kind: 'removed', text: 'All quiet on the coast.' },
    ],
    rowsLeftOut: 2,
  },
  ...more,
})

const made: readonly {
  written: WrittenWatch
  state?: Partial<WatchState>
  history?: WatchSighting[]
  isPaused?: boolean
}[] = [
  {
    written: { url: paper, name: 'Front page of the paper', mainText: true, every: '6h', leastChange: 0.02 },
    state: { part: 'found', toldCount: 31 },
    history: Array.from({ length: 31 }, (_, index) => changed(index)),
  },
  { written: { url: `${paper}story/1`, selector: '.price > b' }, state: { part: 'missing' } },
  {
    written: { url: 'https://long-gone.example/', browser: 'always' },
    state: { isGone: true, toldCount: 1 },
    history: [
      changed(2, {
        url: 'https://long-gone.example/',
        kind: 'gone',
        status: 410,
        part: 'unread',
        excerpt: noExcerpt,
        beforeMs: undefined,
      }),
    ],
  },
  { written: { prefix: `${paper}story/`, ignore: ['.ad', 'footer'] }, isPaused: true },
  {
    written: { url: hostileUrl, name: '<script>harm = 1</script>'.repeat(5) },
    state: { archiving: 'wanted' },
  },
]

export async function madeUpWatches(folder: string, store: Store, jobs: MadeUpJobs): Promise<OpenWatches> {
  const platform = realPlatform()
  const map = await platform.keyValues.open(join(folder, 'watches'))
  const book = new WatchBook(map)
  const webhooks = new WebhookBook(map)
  const watches = made.map(({ written, isPaused = false }, index) => ({
    ...readWatch(written),
    id: ids[index]!,
    isPaused,
    createdAtMs: nowMs - 95 * dayMs - index,
    feedKey: `a-key-for-tests-${index}`,
  }))
  for (const [index, watch] of watches.entries()) {
    const { state, history = [] } = made[index]!
    await book.put(watch, () => {
      book.putState(watch.id, { ...stateAtFirst, ...state })
      for (const sighting of history) book.append(watch.id, sighting)
    })
  }
  const receiver = ids[0]!
  await webhooks.putReceiver({
    id: receiver,
    url: 'https://down.example/a-hook',
    name: 'The newsroom',
    createdAtMs: nowMs,
    watches: [],
    isPaused: false,
    secrets: [{ secret: newSecret(platform.random), untilMs: undefined }],
    takenAtMs: nowMs - dayMs,
    trouble: 'connect-refused: down.example refuses connections',
    droppedCount: 0,
  })
  const bodies = [watchMessage(watches[0]!, changed(0), 'http://localhost'), trialMessage(nowMs)]
  const times = { createdAtMs: nowMs, nextAtMs: nowMs + 1_000 * dayMs }
  for (const [index, body] of bodies.entries()) {
    const remember = await map.transaction(() =>
      webhooks.enqueue({ ...times, receiver, id: `msg_${index}`, watch: '', body }),
    )
    remember()
  }
  await webhooks.fail(webhooks.waiting(receiver)[0]!, 'It answered 500.', undefined)
  await map.close()
  const changes = {
    isHidden: () => false,
    stream: () => ({ begin: async () => {}, told: async function* () {}, close: async () => {} }),
  } as unknown as WatchedChanges
  return openWatches(
    { platform, log: silentLog, archive: storeArchive(store), changes, rules: new MadeUpRules(), jobs },
    folder,
    [],
  )
}
