import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { silentLog } from '../../platform/log.ts'
import { SigningKey } from '../../proof/ed25519.ts'
import { CaptureLog, type LeafQueue } from '../../proof/log/capture-log.ts'
import { areEqual, type Hash, leafHash, rootOfPath } from '../../proof/merkle-tree.ts'
import { AnnouncingPeers, anyKind } from '../replication/fixtures/announcing-peers.ts'
import { LogHandler } from './log-handler.ts'
import { LogHeads } from './log-heads.ts'
import { properties } from './log-messages.fuzz.ts'

const leafOf = (text: string): Hash => leafHash(Buffer.from(text))

class Queue implements LeafQueue {
  leaves: { key: number; leaf: Hash }[] = []
  #last = 0

  add(...texts: string[]): void {
    for (const text of texts) this.leaves.push({ key: ++this.#last, leaf: leafOf(text) })
  }

  entries(): { key: number; leaf: Hash }[] {
    return this.leaves
  }

  async remove(upTo: number): Promise<void> {
    this.leaves = this.leaves.filter(({ key }) => key > upTo)
  }

  startAfter(key: number): void {
    this.#last = Math.max(this.#last, key)
  }
}

/** Two simulated peers with their logs; names of simulated peers are no keys, so that heads are told under a kind of the test's. */
async function peersWithLogs() {
  const peers = new AnnouncingPeers(1)
  peers.kinds = [anyKind('log-head')]
  await peers.start('a', 'b')
  const { world } = peers
  const open = async (name: string, folder = '/proof') => {
    const { disk, clock } = world.machine(name)
    const queue = new Queue()
    const key = new SigningKey(Buffer.alloc(32, 1))
    return { queue, log: await CaptureLog.open({ disk, clock, queue }, folder, key) }
  }
  const join = async (name: string, captures: CaptureLog, map = '/heads') => {
    const { clock, keyValues, network } = world.machine(name)
    const calls = peers.services.get(name)!.service('proofs')
    new LogHandler({ calls, log: captures, clock })
    const keyValue = await keyValues.open(map)
    const announcements = peers.peers.get(name)!
    return new LogHeads({
      ...{ clock, announcements, calls, keyValue, captures },
      log: silentLog,
      self: network.self,
    })
  }
  return { peers, world, open, join }
}

describe('heads of logs', () => {
  testProperties(properties, 100)

  test('are kept by others, and prove captures there', async () => {
    const { world, open, join } = await peersWithLogs()
    const [a, b] = [await world.complete(open('a')), await world.complete(open('b'))]
    const ours = await world.complete(join('a', a.log))
    const theirs = await world.complete(join('b', b.log))
    a.queue.add('one', 'two', 'three')
    await world.advance(70_000)
    assert.equal(theirs.headOf('a')?.size, 3)
    a.queue.add('four')
    await world.advance(130_000)
    assert.equal(theirs.headOf('a')?.size, 4)
    const found = await world.complete(theirs.inclusion('a', leafOf('two'), 0))
    const root = rootOfPath(leafOf('two'), found!.index, found!.head.size, found!.path)
    assert(areEqual(root!, found!.head.root))
    assert.deepEqual(theirs.problems(), [])
    await world.complete(ours.close())
    await world.complete(theirs.close())
  })

  test('tell when a peer rewrites its history', async () => {
    const { world, open, join } = await peersWithLogs()
    const [a, b] = [await world.complete(open('a')), await world.complete(open('b'))]
    const theirs = await world.complete(join('b', b.log))
    const first = await world.complete(join('a', a.log))
    a.queue.add('one', 'two')
    await world.advance(70_000)
    assert.equal(theirs.headOf('a')?.size, 2)
    await world.complete(first.close())
    // Another log in its place, with other captures, and more of them.
    const rewritten = await world.complete(open('a', '/other'))
    const second = await world.complete(join('a', rewritten.log, '/other-heads'))
    rewritten.queue.add('one', 'never captured', 'three')
    await world.advance(190_000)
    assert.match(theirs.problems().join(), /The peer a has rewritten its history/)
    assert.equal(theirs.headOf('a')?.size, 2)
    assert.equal(theirs.evidenceAgainst('a')?.[1].size, 3)
    await world.complete(second.close())
    await world.complete(theirs.close())
  })
})
