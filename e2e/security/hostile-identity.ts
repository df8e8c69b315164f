// The identity of the hostile member, from its home: it can sign in its own name whatever it likes, and in nobody else's.

import { MembershipFiles } from '../../src/app/ring/membership-files.ts'
import type { Identity } from '../../src/network/announcements/announcement-kind.ts'
import { networkIdOf } from '../../src/network/membership/archive-network.ts'
import { identitySigner } from '../../src/network/membership/identity-signer.ts'
import { seedOfIdentity } from '../../src/network/membership/peer-key.ts'
import { isSigned } from '../../src/network/membership/signing.ts'

export async function identityIn(home: string): Promise<Identity> {
  const files = new MembershipFiles(home)
  const { network } = (await files.network())!
  const signer = identitySigner(networkIdOf(network), seedOfIdentity(await files.identity()), isSigned)
  return { self: await files.peer(), sign: (statement) => signer.sign(statement) }
}
