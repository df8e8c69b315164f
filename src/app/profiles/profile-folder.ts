// Where the homes of profiles lie. Apart from what is in them (profile-home.ts), for every command asks for it.

import { join } from 'node:path'
import { errorFamily } from '../../errors.ts'

export class ProfileError extends errorFamily({
  'profile-unknown': 'never',
  'profile-name': 'never',
  'profile-damaged': 'never',
  'profile-too-many': 'never',
  'profile-not-for-others': 'never',
}) {}

export function profilesFolder(home: string): string {
  return join(home, 'private')
}

/** `home`: the one that the profile belongs to. */
export function profileFolder(home: string, name: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name))
    throw new ProfileError(
      'profile-name',
      `A profile's name has 1 to 32 small letters, digits and hyphens, and starts with no hyphen: ${JSON.stringify(name.slice(0, 40))} does not do.`,
    )
  return join(profilesFolder(home), name)
}
