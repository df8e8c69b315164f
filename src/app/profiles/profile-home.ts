// The home of a profile: `private/NAME` in the home that it belongs to. An archive of its own, with a store, a crawler and an index that no
// other part of the program has open, and the browser session that its pages are fetched with.
//
//   profile.json   says that this home is a profile's, and so private
//   session.json   cookies and storage of the browser, as they were when its owner had logged in
//
// Invariant: a home that has a profile.json takes part in no network (membership-files.ts asks here), and its archive is read by its owner
// only (server.ts asks here), whichever way it was opened. Nothing of it can be spread, compared, announced or found elsewhere, because
// the parts that do so never see its store.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { type BrowserSession, emptySession, readSession } from '../../platform/network/browser-session.ts'
import { realPrivateFiles } from '../../platform/real/private-files.ts'
import type { PrivateFiles } from '../../platform/storage/private-files.ts'
import { ProfileError, profilesFolder } from './profile-folder.ts'

const markName = 'profile.json'
const sessionName = 'session.json'
const profilesMax = 64

const markSchema = v.object({
  format: v.literal(1),
  name: v.string(),
  createdAt: v.string(),
  changedAt: v.string(),
  /** Where its owner logs in. */
  url: v.optional(v.string()),
})

export type ProfileMark = Omit<v.InferOutput<typeof markSchema>, 'format'>

/** Of the home of a profile itself; undefined for any other home. */
export async function profileOf(
  folder: string,
  files: PrivateFiles = realPrivateFiles,
): Promise<ProfileMark | undefined> {
  const bytes = await files.read(join(folder, markName))
  if (bytes === undefined) return undefined
  try {
    return v.parse(markSchema, JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    // Whatever it says, this home is private.
    throw new ProfileError('profile-damaged', `${join(folder, markName)} is damaged, or of a later version.`)
  }
}

/** For commands that work with a profile. */
export async function checkProfile(folder: string, name: string): Promise<void> {
  if ((await profileOf(folder)) !== undefined) return
  throw new ProfileError(
    'profile-unknown',
    `There is no profile ${name}. Make one with: polyhistor profile create ${name} URL`,
  )
}

export async function sessionOf(folder: string, files = realPrivateFiles): Promise<BrowserSession> {
  const bytes = await files.read(join(folder, sessionName))
  return bytes === undefined ? emptySession : readSession(Buffer.from(bytes).toString('utf8'))
}

/** The mark comes first: there is no moment at which what it marks could be taken for something else. */
export async function keepProfile(folder: string, mark: ProfileMark, session: BrowserSession): Promise<void> {
  await realPrivateFiles.write(join(folder, markName), `${JSON.stringify({ format: 1, ...mark })}\n`)
  await realPrivateFiles.write(join(folder, sessionName), JSON.stringify(session))
}

export async function listProfiles(home: string): Promise<ProfileMark[]> {
  const folder = profilesFolder(home)
  const names = await readdir(folder).catch(() => [])
  const marks = await Promise.all(names.sort().map((name) => profileOf(join(folder, name))))
  return marks.filter((mark) => mark !== undefined)
}

export async function checkRoom(home: string): Promise<void> {
  if ((await listProfiles(home)).length < profilesMax) return
  throw new ProfileError('profile-too-many', `There are ${profilesMax} profiles already. Remove one first.`)
}

/** With everything that was archived with it. */
export async function removeProfile(folder: string): Promise<void> {
  await realPrivateFiles.remove(folder)
}
