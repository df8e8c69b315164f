// Anchors of a home's log of captures, wired to disk and web; see proof/anchor/.

import { dirname, join } from 'node:path'
import { parseUrl } from '../../model/url/url.ts'
import type { Log } from '../../platform/log.ts'
import type { WebLimits } from '../../platform/network/web.ts'
import { type AnchorPlaces, HeadAnchors } from '../../proof/anchor/head-anchors.ts'
import { ProofError } from '../../proof/proof-error.ts'
import type { Platform } from '../platform.ts'
import type { HomeProof } from './home-proof.ts'

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'disk' | 'startWeb'>
  readonly proof: HomeProof
  readonly log: Log
}

const limits: WebLimits = {
  headBytesMax: 32 * 1024,
  headerCountMax: 200,
  bodyBytesMax: 64 * 1024,
  connectMsMax: 10_000,
  stallMsMax: 15_000,
  totalMsMax: 20_000,
}
/** The owner chose the authority: it may be in the house. */
const allow = { refusal: () => undefined }

/** undefined when nothing is to be anchored, or there is no log. */
export async function openAnchors(
  { platform, proof, log }: Needs,
  home: string,
  places: AnchorPlaces | undefined,
): Promise<HeadAnchors | undefined> {
  const { captures, signer } = proof
  const isWanted = [places?.file, places?.url, places?.mail].some((place) => place !== undefined)
  if (places === undefined || !isWanted || captures === undefined) return undefined
  const { clock, random, disk } = platform
  const folder = join(home, 'proof', 'anchors')
  await disk.makeFolder(folder)
  return new HeadAnchors(
    {
      ...{ clock, random, log, folder, publicKey: signer.key.publicKey },
      head: () => captures.update(),
      append: (file, line) => put(platform, file, Buffer.from(line), { isAppended: true }),
      write: (file, bytes) => put(platform, file, bytes, { isAppended: false }),
      post: (url, contentType, bytes) => post(platform, join(folder, 'spool'), url, contentType, bytes),
    },
    places,
  )
}

async function put(
  { disk }: Pick<Platform, 'disk'>,
  path: string,
  bytes: Uint8Array,
  { isAppended }: { isAppended: boolean },
): Promise<void> {
  const isThere = (await disk.stat(path)) !== undefined
  const file = await disk.open(path, isThere ? 'write' : 'create')
  try {
    if (isThere && !isAppended) await file.truncate(0)
    await file.write(isAppended ? await file.sizeBytes() : 0, bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  if (!isThere) await disk.syncFolder(dirname(path))
}

async function post(
  platform: Needs['platform'],
  spoolFolder: string,
  href: string,
  contentType: string,
  body: Uint8Array,
): Promise<Uint8Array> {
  const web = await platform.startWeb({ spoolFolder })
  try {
    const headers = [
      ['Content-Type', contentType] as const,
      ['Accept', 'application/timestamp-reply'] as const,
    ]
    const answer = await web.fetch({ url: parseUrl(href), method: 'POST', body, headers, limits, allow })
    if (answer.outcome === 'failure') throw new ProofError('anchor-refused', `${href}: ${answer.reason}.`)
    if (answer.status !== 200 || answer.body.kind !== 'memory')
      throw new ProofError('anchor-refused', `${href} answered with ${answer.status}.`)
    return Buffer.concat(answer.body.parts)
  } finally {
    await web.close()
  }
}
