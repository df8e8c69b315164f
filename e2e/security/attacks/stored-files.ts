// What an attack of yesterday left on disk: a home that is poisoned when the peer is started.

import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localWorld } from '../../../src/platform/real/local-world.ts'
import type { ArchivePeer } from '../../network/archive-peer.ts'
import type { Attack } from '../attack.ts'
import type { Stage } from '../stage.ts'

const targets: unknown[] = [
  { kind: 'all' },
  { kind: 'planet' },
  { kind: 'site', site: 5 },
  { kind: 'url' },
  null,
  5,
  { kind: 'site', site: `${'a'.repeat(100_000)}.test` },
]

async function poisonTakedowns({ home }: ArchivePeer): Promise<void> {
  const lines = targets.map((target) => JSON.stringify({ target, atMs: 1, reason: '', isDone: false }))
  const more = [
    'null',
    '5',
    '[]',
    '{"target":{"kind":"site"',
    '{"target":{"kind":"url","url":"http://x.test/"},"atMs":"y"}',
  ]
  await appendFile(join(home, 'store', 'takedowns.jsonl'), `${[...lines, ...more].join('\n')}\n`)
}

/** What kinds there are, with bytes of all sorts for values. */
async function poisonAnnouncements({ home }: ArchivePeer): Promise<void> {
  const map = await localWorld().keyValues.open(join(home, 'network', 'notices'), { hasJournal: true })
  try {
    const table = map.table('notices')
    await map.transaction(() => {
      for (const kind of ['job', 'takedown', 'left', 'peer', 'split', 'seed', 'x']) {
        for (const [index, value] of [Buffer.alloc(0), Buffer.alloc(16), Buffer.alloc(300, 0xff)].entries())
          table.put(Buffer.concat([Buffer.from(kind), Buffer.alloc(1), Buffer.alloc(20, index)]), value)
      }
    })
    await map.flush()
  } finally {
    await map.close()
  }
}

async function restartWith(stage: Stage, poison: (peer: ArchivePeer) => Promise<void>): Promise<string[]> {
  const victim = stage.honest.at(-1)!
  await victim.stop()
  await poison(victim)
  try {
    await victim.start()
    return []
  } catch (error) {
    return [`${victim.name} does not start: ${(error as Error).message.slice(0, 500)}`]
  }
}

export const storedFileAttacks: readonly Attack[] = [
  {
    name: 'stored: takedowns.jsonl',
    tries:
      'Takedowns of everything, of unknown kinds and of nothing in the file from which the index is rebuilt',
    run: (stage) => restartWith(stage, poisonTakedowns),
  },
  {
    name: 'stored: announcements',
    tries: 'Announcements in the peer’s own map that cannot be read',
    run: (stage) => restartWith(stage, poisonAnnouncements),
  },
]
