// How much a fetch may cost, at most.

import type { WebLimits } from '../../platform/network/web.ts'

export const fetchLimits: WebLimits = {
  // Browsers take 256 KiB; real heads have less than 10. What is larger is a mistake or an attack.
  headBytesMax: 128 * 1024,
  headerCountMax: 1_000,
  // Larger files are cut, and say so. More keeps large downloads whole, and lets one URL fill the disk.
  bodyBytesMax: 2 * 1024 * 1024 * 1024,
  connectMsMax: 20_000,
  // Shorter frees the host's queue earlier; longer keeps pages of servers that think before they answer.
  stallMsMax: 30_000,
  // At 2 GiB a connection of 10 Mbit/s takes half an hour.
  totalMsMax: 30 * 60_000,
}

/** For robots.txt: 500 KiB must be read (RFC 9309, 2.5), the rest is ignored; hosts wait for it. */
export const robotsLimits: WebLimits = {
  ...fetchLimits,
  bodyBytesMax: 512 * 1024,
  totalMsMax: 60_000,
}

/** What link extraction looks at, decoded. More finds links of larger pages, and costs memory for every bomb. */
export const decodedBytesMax = 32 * 1024 * 1024
