// A path that a command's user names to the running peer of the home: with a permit, which shows that the user may.

import { resolve } from 'node:path'
import { permitPath } from '../../app/http/allowed-paths.ts'
import { isBucketAddress } from '../../platform/storage/bucket.ts'
import type { PeerClient } from './peer-client.ts'

export async function namedPath(
  { home }: PeerClient,
  path: string,
): Promise<{ path: string; permit: string | undefined }> {
  const absolute = isBucketAddress(path) ? path : resolve(path)
  return { path: absolute, permit: home === undefined ? undefined : await permitPath(home, absolute) }
}
