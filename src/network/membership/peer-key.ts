// A peer's name is its public key: the key can be had from the name, and the seed from the identity as it is kept.

import { privateKeyFromProtobuf, publicKeyFromRaw } from '@libp2p/crypto/keys'
import { peerIdFromPublicKey, peerIdFromString } from '@libp2p/peer-id'
import type { PeerId } from '../../platform/network/network.ts'
import { keyBytes, type PublicKey, type Seed } from './signing.ts'

/** Nothing for what is no peer's name, or one whose key is of another kind. */
export function publicKeyOfPeer(peer: PeerId): PublicKey | undefined {
  try {
    const { publicKey, type } = peerIdFromString(peer)
    return type === 'Ed25519' ? publicKey?.raw : undefined
  } catch {
    return undefined
  }
}

/** The name that goes with a key; undefined for what is none. */
export function peerOfPublicKey(key: PublicKey): PeerId | undefined {
  try {
    return peerIdFromPublicKey(publicKeyFromRaw(key)).toString()
  } catch {
    return undefined
  }
}

/** The secret half of an identity that the transport made. */
export function seedOfIdentity(identity: Uint8Array): Seed {
  // Libp2p writes the seed, and the public key after it.
  return privateKeyFromProtobuf(identity).raw.subarray(0, keyBytes)
}
