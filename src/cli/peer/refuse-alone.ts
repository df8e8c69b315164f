// What the other peers of a network must hear of cannot be said while the home's own peer does not run: nobody would.

import { MembershipFiles } from '../../app/ring/membership-files.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../usage-error.ts'

/** `what`: the rule, the schedule. */
export async function refuseAlone({ home }: Context, what: string): Promise<void> {
  if ((await new MembershipFiles(home.folder).network()) === undefined) return
  throw new UsageError(
    `This home is one of a network, whose other peers must hear of ${what}: start its peer (polyhistor peer) and say it again.`,
  )
}
