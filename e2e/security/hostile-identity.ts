// The identity of the hostile member, from its home: it can sign in its own name whatever it likes, and in nobody else's.

import { networkIdOf } from '../../src/network/archive-network.ts'
import { seedOfIdentity } from '../../src/network/peer-key.ts'
import { isSigned } from '../../src/network/signing.ts'
import { identitySigner } from '../../src/peer/notices/identity-signer.ts'
import { MembershipFiles } from '../../src/peer/ring/membership-files.ts'
import type { Identity } from '../../src/replica/notices/notice-kind.ts'

export async function identityIn(home: string): Promise<Identity> {
  const files = new MembershipFiles(home)
  const { network } = (await files.network())!
  const signer = identitySigner(networkIdOf(network), seedOfIdentity(await files.identity()), isSigned)
  return { self: await files.peer(), sign: (statement) => signer.sign(statement) }
}
