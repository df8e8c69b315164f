// Names of WARC files: `Prefix-YYYYMMDDhhmmss-Serial-Host.warc.gz`, as Annex C of WARC 1.1 recommends.

import type { Compression } from './compression/compression.ts'
import { WarcRefusal } from './damage.ts'

const suffixes: Record<Compression['kind'], string> = { none: '', gzip: '.gz', zstd: '.zst' }

interface WarcFileNameParts {
  prefix: string
  /** Fourteen digits, UTC. */
  timestamp: string
  serial: number
  host: string
  compression: Compression['kind']
}

/** What the name says of the records in the file. */
export function compressionInName(name: string): Compression['kind'] {
  if (name.endsWith(suffixes.gzip)) return 'gzip'
  return name.endsWith(suffixes.zstd) ? 'zstd' : 'none'
}

export function warcFileName(parts: WarcFileNameParts): string {
  const { prefix, timestamp, serial, host, compression } = parts
  const isSound = /^\w[\w.-]*$/.test(prefix) && /^\d{14}$/.test(timestamp) && /^\w[\w.-]*$/.test(host)
  if (!isSound || !Number.isSafeInteger(serial) || serial < 0) {
    throw new WarcRefusal('warc-bad-file-name', `no file name can be made of ${JSON.stringify(parts)}`)
  }
  return `${prefix}-${timestamp}-${String(serial).padStart(5, '0')}-${host}.warc${suffixes[compression]}`
}
