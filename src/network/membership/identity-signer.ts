// Signs announcements with the key that is this peer's name, and verifies those of others: a peer's name is its public key.
//
// A signature holds for one network only: a peer's identity may outlive its membership.

import { hash } from 'node:crypto'
import type { AnnouncementSigner } from '../announcements/announcement.ts'
import { publicKeyOfPeer } from './peer-key.ts'
import { type Seed, type SignatureCheck, signFor } from './signing.ts'

export function identitySigner(networkId: string, seed: Seed, isSigned: SignatureCheck): AnnouncementSigner {
  const fieldsOf = (statement: Uint8Array): string[] => [networkId, hash('sha256', statement, 'hex')]
  return {
    sign: (statement) => signFor('notice', fieldsOf(statement), seed),
    verify: (author, statement, signature) => {
      const key = publicKeyOfPeer(author)
      return key !== undefined && isSigned('notice', fieldsOf(statement), signature, key)
    },
  }
}
