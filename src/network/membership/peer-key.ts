// A peer's name is its public key: the key can be had from the name, and the seed from the identity as it is kept.

import { privateKeyFromProtobuf, privateKeyFromRaw, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromString } from '@libp2p/peer-id'
import type { PeerId } from '../../platform/network.ts'
import { keyBytes, type PublicKey, publicKeyOf, type Seed } from './signing.ts'

/** Nothing for what is no peer's name, or one whose key is of another kind. */
export function publicKeyOfPeer(peer: PeerId): PublicKey | undefined {
  try {
    const { publicKey, type } = peerIdFromString(peer)
    return type === 'Ed25519' ? publicKey?.raw : undefined
  } catch {
    return undefined
  }
}

/** An identity as it is kept, of a secret that was made up. */
export function identityOfSeed(seed: Seed): Uint8Array {
  return privateKeyToProtobuf(privateKeyFromRaw(Buffer.concat([seed, publicKeyOf(seed)])))
}

/** The secret half of an identity that the transport made. */
export function seedOfIdentity(identity: Uint8Array): Seed {
  // Libp2p writes the seed, and the public key after it.
  return privateKeyFromProtobuf(identity).raw.subarray(0, keyBytes)
}
