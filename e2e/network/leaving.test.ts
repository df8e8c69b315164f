// A peer that leaves its network for good, as its owner says it: what it kept is with the others before it goes.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import type { HandedOver, LeavingState } from '../../src/app/ring/leaving.ts'
import type { NetworkStatus } from '../../src/model/peer-status.ts'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import { root } from '../command.ts'
import { runWords } from '../ring/peer-process.ts'
import type { ArchivePeer } from './archive-peer.ts'
import { healed } from './health.ts'
import { startNetworkAndWeb } from './network-and-web.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'
import { until } from './until.ts'

interface Left extends HandedOver {
  readonly left: boolean
}

test(
  'network leave: the others have three copies of everything at once, and the home is alone',
  {
    timeout: 1_200_000,
  },
  () =>
    withNetwork([], async (network, leaver) => {
      const [first] = network.peers
      const { entries } = (await first!.status()).sums
      leaver.expectEnd()
      const printed = await runWords(['network', 'leave', '--json', '--home', leaver.home])
      const handedOver = JSON.parse(printed) as Left
      assert.deepEqual(
        [handedOver.left, handedOver.done, handedOver.leftBytes],
        [true, handedOver.entries, 0],
      )
      const taken = handedOver.peers.reduce((sum, peer) => sum + peer.entries, 0)
      assert.ok(handedOver.entries > 0 && taken > 0 && handedOver.sentBytes > 0, printed)
      await assert.rejects(access(join(leaver.home, 'network.json')))
      await until('three copies with the three who stay', async () => {
        const status = await first!.status()
        return status.peers.length === 3 && status.sums.entries >= entries && hasThreeCopies(status)
      })
      const alone = await runWords(['store', 'stat', '--json', '--home', leaver.home])
      assert.ok((JSON.parse(alone) as { captures: number }).captures > 0)
    }),
)

test(
  'network leave, stopped by Ctrl-C: the peer stays and works; told again it goes on and leaves',
  {
    timeout: 1_200_000,
  },
  () =>
    // Slow enough to be stopped on the way.
    withNetwork(['--set', 'ring.repairRate=20kB'], async (network, leaver) => {
      const leaving = begun(['network', 'leave', '--home', leaver.home])
      await until('the handing over to begin', async () => {
        const { state, handedOver } = await leaver.ask<LeavingState>('/api/v1/network/leave')
        return (state === 'handing-over' && handedOver !== undefined) || state
      })
      const { code, errors } = await leaving.interrupt()
      assert.equal(code, 130)
      assert.match(errors, /Ctrl-C has the peer stay/)
      assert.match(errors, /The peer stays\. \d+ of \d+ entries are with the others/)
      assert.equal((await leaver.ask<LeavingState>('/api/v1/network/leave')).state, 'staying')
      await until('all four to be there', async () => (await leaver.status()).peers.length === 4)
      leaver.expectEnd()
      const printed = await runWords(['network', 'leave', '--home', leaver.home])
      assert.match(printed, /(\d+) of \1 entries are with the others; .* sent.* alone/s)
      await until('three peers', async () => (await network.peers[0]!.status()).peers.length === 3)
    }),
)

test(
  'network forget: of a dead peer everything is copied at once, and should it come back, it counts again',
  {
    timeout: 1_200_000,
  },
  () =>
    withNetwork([], async (network, dead) => {
      const [first, second] = network.peers
      const { peer: id } = await dead.view()
      await until('nobody to be away', async () => (await first!.status()).away.length === 0)
      const forget = (who: string) => runWords(['network', 'forget', who, '--home', first!.home])
      await assert.rejects(forget(id), /is away, so there is none to forget/)
      await dead.kill()
      const isAway = async () => (await second!.status()).away.some(({ peer }) => peer === id)
      await until('the second to miss it', isAway)
      await until('the first to miss it', async () => (await first!.status()).away.length === 1)
      assert.match(await forget(id.slice(-8)), new RegExp(`Nobody waits for ${id} any more`))
      await until('the second to forget it', async () => !(await isAway()))
      await until('three copies', async () => hasThreeCopies(await first!.status()))
      await dead.start()
      await until('its return', async () => (await second!.status()).peers.length === 4)
    }),
)

/** Four peers with something to keep, of which the last is to leave. */
async function withNetwork(
  words: string[],
  body: (network: NetworkOfPeers, leaver: ArchivePeer) => Promise<void>,
): Promise<void> {
  const web = { sites: 5, pages: 6, images: 2, seed: 'leave' }
  // Many positions, so that by all chance the one who leaves is to keep something.
  const plan = { peers: 4, words: ['--set', 'ring.positions=8', ...words] }
  const { network, origin } = await startNetworkAndWeb({ ...web, ...plan })
  const [first, , , leaver] = network.peers
  // All know each other before anything is kept: else the others may have all that the leaver gets later, and nothing is to be given.
  await healed(network)
  const { id } = await first!.startJob([origin.web.start])
  await until('the job', async () => (await first!.job(id)).state === 'done')
  await until(
    'the leaver to keep something',
    async () => ((await leaver!.status()).peers[0]?.status?.captures ?? 0) > 0,
  )
  await body(network, leaver!)
  assert.deepEqual(network.faults, [])
}

function hasThreeCopies({ sums }: NetworkStatus): boolean {
  return sums.entries > 0 && sums.histogram.every((count, copies) => copies >= 3 || count === 0)
}

/** A command that can be stopped as with Ctrl-C. */
function begun(commandWords: string[]): { interrupt(): Promise<{ code: number | null; errors: string }> } {
  const child = watched(
    spawn(join(root, 'bin', 'polyhistor'), commandWords, { stdio: ['ignore', 'ignore', 'pipe'] }),
  )
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = once(child, 'close')
  return {
    interrupt: async () => {
      child.kill('SIGINT')
      const [code] = (await ended) as [number | null]
      return { code, errors }
    },
  }
}
