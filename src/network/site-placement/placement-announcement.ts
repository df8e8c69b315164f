// A placement as all peers of a network know it: which peer is to crawl a site. The latest counts, whoever wrote it.
//
// One that was taken back is announced as well: who was away must hear of that, too.

import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { UnsignedAnnouncement } from '../announcements/announcement.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'

const siteCharsMax = 255
const peerCharsMax = 128

export const placementKind: AnnouncementKind = {
  kind: 'placement',
  nameBytesMax: siteCharsMax,
  valueBytesMax: peerCharsMax,
  countMax: 2_000,
  bytesMax: 1024 * 1024,
  changes: { burst: 200, perMinute: 60 },
  fault: ({ name, value }) => {
    if (siteUrl(name) === undefined) return 'its name is no site'
    return isPeer(value) ? undefined : 'it names no peer'
  },
}

/** A page of the site; undefined when this is not the name of a site. */
export function siteUrl(site: string): Url | undefined {
  const url = tryParseUrl(`http://${site}/`)
  return url !== null && url.site === site ? url : undefined
}

export function placementValue(peer: PeerId | undefined): Uint8Array {
  return Buffer.from(peer ?? '')
}

/** undefined: the placement was taken back. */
export function peerOf({ value }: Pick<UnsignedAnnouncement, 'value'>): PeerId | undefined {
  const peer = Buffer.from(value).toString('latin1')
  return peer === '' ? undefined : peer
}

function isPeer(value: Uint8Array): boolean {
  return value.every((byte) => byte > 0x20 && byte < 0x7f)
}
