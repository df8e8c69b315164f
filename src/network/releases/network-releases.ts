// The release that a network runs, as its peers tell each other: the latest that the network's key has signed, whoever brings it.
//
// Announcements of kind `release`, one for each author. What the network's key has not signed has no effect.

import type { PeerId } from '../../platform/network/network.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'
import type { Announcements } from '../announcements/announcements.ts'
import type { ArchiveNetwork } from '../membership/archive-network.ts'
import type { Seed } from '../membership/signing.ts'
import {
  isLaterVersion,
  isOfNetwork,
  type Release,
  readRelease,
  releaseBytesMax,
  signRelease,
  writeRelease,
} from './release.ts'

const name = 'release'

export const releaseKind: AnnouncementKind = {
  kind: 'release',
  slot: ({ peer }) => peer,
  nameBytesMax: name.length,
  valueBytesMax: releaseBytesMax,
  countMax: 1,
  bytesMax: 2 * releaseBytesMax + 400,
  changes: { burst: 10, perMinute: 0.1 },
  fault: (announcement) => {
    if (announcement.name !== name) return 'it has another name'
    return readRelease(announcement.value) === undefined ? 'it is no release' : undefined
  },
  adopt: () => undefined,
}

interface Needs {
  readonly announcements: Pick<Announcements, 'all' | 'onChange' | 'put'>
  readonly network: ArchiveNetwork
  /** The network's secret, where it was made. */
  readonly networkSeed?: Seed | undefined
  readonly self: PeerId
}

const { kind } = releaseKind

export class NetworkReleases {
  readonly #needs: Needs
  readonly #unlisten: () => void
  #latest: Release | undefined

  constructor(needs: Needs) {
    this.#needs = needs
    for (const { value } of needs.announcements.all(kind)) this.#hear(value)
    this.#unlisten = needs.announcements.onChange((announcement) => {
      if (announcement.kind === kind) this.#hear(announcement.value)
    })
  }

  get latest(): Release | undefined {
    return this.#latest
  }

  get canRelease(): boolean {
    return this.#needs.networkSeed !== undefined
  }

  /** Where the network was made: from now on it runs this version, or a later one. */
  async release(wanted: Pick<Release, 'version' | 'integrity'>): Promise<Release> {
    const { network, networkSeed, announcements } = this.#needs
    if (networkSeed === undefined) throw new Error('only with the network’s key')
    const release = signRelease(network, networkSeed, wanted)
    await announcements.put(kind, name, writeRelease(release))
    return release
  }

  close(): void {
    this.#unlisten()
  }

  #hear(value: Uint8Array): void {
    const release = readRelease(value)
    if (release === undefined || !isOfNetwork(release, this.#needs.network)) return
    if (this.#latest === undefined || isLaterVersion(release.version, this.#latest.version))
      this.#latest = release
  }
}
