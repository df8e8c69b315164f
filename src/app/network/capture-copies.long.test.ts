// Copies on what they run on: libp2p over loopback, the real ring, stores on disk.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, test } from 'vitest'
import type { RingKey } from '../../model/ring-key.ts'
import { parseUrl } from '../../model/url/url.ts'
import { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { until } from '../../platform/fixtures/until.ts'
import { silentLog } from '../../platform/log.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { RealRandom } from '../../platform/real/random.ts'
import type { Capture, NewCapture } from '../../store/capture.ts'
import { bytesOf, pageCapture, pageText, sampleOptions } from '../../store/fixtures/sample-captures.ts'
import { Store } from '../../store/store.ts'
import { realPlatform } from '../real-platform.ts'
import { createHomeNetwork, inviteToHomeNetwork } from '../ring/home-network.ts'
import { openRingPeer, type RingPeer } from '../ring/ring-peer.ts'
import { type OpenCaptureCopies, openCaptureCopies } from './capture-copies.ts'

const clock = new RealClock()
// Nobody is thought dead because the machine is slow: this is no test of that.
const patientRing = {
  stabiliseMs: 200,
  timeoutMsMin: 3_000,
  timeoutMsFirst: 3_000,
  timeoutMsMax: 10_000,
  ownershipMs: 10_000,
  mergeMs: 1_000,
  positions: 2,
}
const patience = { patienceMsMin: 60_000, patienceMsMax: 60_000, rareMs: 60_000 }

class ArchivePeer {
  readonly ring: RingPeer
  readonly places: RingPlaces
  readonly store: Store
  readonly copies: OpenCaptureCopies

  static async open(home: string, invitation?: string): Promise<ArchivePeer> {
    const ring = await openRingPeer(
      { platform: realPlatform(), log: silentLog },
      {
        home,
        invitation,
        listen: { host: '127.0.0.1', port: 0 },
        isPortFlexible: false,
        join: [],
        isOnLocalNetwork: false,
        ring: patientRing,
      },
    )
    const { kind } = ring.network
    const places = new RingPlaces(
      { ring: ring.ring, clock, learn: () => {} },
      { kind, replicas: 3, patience },
    )
    const store = await Store.open(localWorld(), join(home, 'store'), { ...sampleOptions, cacheBytes: 0 })
    const { services } = ring
    const random = new RealRandom()
    const copies = await openCaptureCopies(
      { store, services, places, clock, random },
      { admission: { earliestMs: 0 } },
    )
    return new ArchivePeer(ring, places, store, copies)
  }

  private constructor(ring: RingPeer, places: RingPlaces, store: Store, copies: OpenCaptureCopies) {
    this.ring = ring
    this.places = places
    this.store = store
    this.copies = copies
  }

  async keep(capture: NewCapture): Promise<Capture> {
    const receipt = await this.store.append(capture)
    await this.copies.spread(receipt.capture)
    return receipt.capture
  }

  async contents(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const capture of this.store.scan({ kind: 'all' })) {
      const { payload } = await this.store.read(capture)
      const digest = createHash('sha256')
        .update(await bytesOf(payload()))
        .digest('hex')
      found.set(`${capture.url} ${capture.capturedAtMs}`, digest)
    }
    return found
  }

  async close(): Promise<void> {
    await this.copies.close()
    this.places.close()
    await this.ring.close()
    await this.store.close()
  }
}

/** The ring has come to rest there: one owns it, and all name the same to keep it. */
function isAgreed(peers: readonly ArchivePeer[], key: RingKey): boolean {
  const sets = peers.map(({ places }) => [...places.fullSet(key)].sort().join())
  return peers.filter(({ places }) => places.isOwner(key)).length === 1 && new Set(sets).size === 1
}

describe('real peers', () => {
  test(
    'keep every capture three times, also a large one, and fill a wiped disk again',
    { timeout: 900_000 },
    () =>
      withTemporaryFolder(async (folder) => {
        const home = (index: number): string => join(folder, `peer-${index}`)
        await createHomeNetwork(home(0), 'test', 'invited')
        const first = await ArchivePeer.open(home(0))
        const invite = async (): Promise<string> => {
          const addresses = first.ring.addresses()
          return (await inviteToHomeNetwork(home(0), { addresses })).invitation
        }
        const peers = [first]
        for (let index = 1; index < 4; index++)
          peers.push(await ArchivePeer.open(home(index), await invite()))
        await until('four peers that know each other', () =>
          peers.every(({ places }) => places.peers().length === 3),
        )
        await until('two arcs for each', () => peers.every(({ places }) => places.ownArcs().length === 2))

        const large = createHash('shake256', { outputLength: 3_000_000 }).update('large').digest()
        for (let number = 0; number < 20; number++) {
          const url = parseUrl(`http://site-${number}.test/`)
          await until(`agreement about ${url.href}`, () => isAgreed(peers, url.ringKey))
          const owner = peers.find(({ places }) => places.isOwner(url.ringKey))!
          const body = number === 0 ? large : pageText(number, 20_000)
          await owner.keep(pageCapture(url.href, 1_000, body))
          await owner.keep(pageCapture(url.href, 2_000, body))
          if (number > 0) await owner.keep(pageCapture(url.href, 3_000, `${body}, and more`))
        }
        const holders = async (): Promise<Map<string, number>> => {
          const counts = new Map<string, number>()
          for (const peer of peers)
            for (const [capture, digest] of await peer.contents())
              counts.set(`${capture} ${digest}`, (counts.get(`${capture} ${digest}`) ?? 0) + 1)
          return counts
        }
        const areKept = async () => [...(await holders()).values()].every((count) => count >= 3)
        await until('three copies of everything', areKept, 100)
        assert.equal((await holders()).size, 59)

        const before = await peers[2]!.contents()
        await peers[2]!.close()
        await rm(join(home(2), 'store'), { recursive: true })
        peers[2] = await ArchivePeer.open(home(2))
        assert.equal((await peers[2]!.contents()).size, 0)
        const isFilled = async () => isDeepStrictEqual(await peers[2]!.contents(), before)
        await until('the wiped disk to be filled again', isFilled, 100)
        assert.deepEqual(await peers[2]!.store.checkIndex(), [])
        await Promise.all(peers.map((peer) => peer.close()))
      }),
  )
})
