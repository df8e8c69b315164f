// `identity.key` of a home: the secret key that makes it the same peer as last time; made once, kept for good.
//
// As libp2p writes Ed25519 keys, in a few bytes that are read and written here: a crawl needs the key, and loading libp2p for it would
// take longer than signing thousands of captures.

import { join } from 'node:path'
import { NetworkError } from '../../network/membership/network-error.ts'
import { keyBytes, publicKeyOf, type Seed } from '../../network/membership/signing.ts'
import type { Random } from '../../platform/random.ts'
import type { PrivateFiles } from '../../platform/storage/private-files.ts'

const identityName = 'identity.key'
/** A protobuf message: the kind of key, then 64 bytes, which are the seed and the public key. */
const prefix = Buffer.from('08011240', 'hex')

export async function homeIdentity(
  folder: string,
  { files, random }: { files: PrivateFiles; random: Random },
): Promise<Uint8Array> {
  const path = join(folder, identityName)
  const kept = await files.read(path)
  if (kept !== undefined) return new Uint8Array(kept)
  const seed = random.bytes(keyBytes)
  await files.write(path, Buffer.concat([prefix, seed, publicKeyOf(seed)]), { once: true })
  // Whoever came first has made it.
  return new Uint8Array((await files.read(path))!)
}

/** The secret half of it. */
export async function homeSeed(
  folder: string,
  needs: { files: PrivateFiles; random: Random },
): Promise<Seed> {
  const identity = await homeIdentity(folder, needs)
  const isOurs = identity.length === prefix.length + 2 * keyBytes && prefix.equals(identity.subarray(0, 4))
  if (!isOurs)
    throw new NetworkError(
      'network-file-damaged',
      `${join(folder, identityName)} holds no key that this program made.`,
    )
  return identity.subarray(prefix.length, prefix.length + keyBytes)
}
