// What makes a peer the same peer wherever it runs: a key, whose public half is its name.

import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import type { PeerId } from '../../network/network.ts'

/** A new peer's key, to be kept secret and to be kept. */
export async function newIdentity(): Promise<Uint8Array> {
  return privateKeyToProtobuf(await generateKeyPair('Ed25519'))
}

/** Who a key makes us. */
export function peerOf(identity: Uint8Array): PeerId {
  return peerIdFromPrivateKey(privateKeyFromProtobuf(identity)).toString()
}
