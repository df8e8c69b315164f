// What runs under Node's permission model after `polyhistor volunteer` has started it: see commands/network/volunteer.ts. In the
// package it is a bundle of its own, which awaits nothing at its top: scripts/build-volunteer.ts.

import { updateExitCode } from '../app/volunteer/volunteer-exit.ts'
import { runVolunteer, type VolunteerSettings } from '../app/volunteer/volunteer-process.ts'
import { PolyhistorError } from '../errors.ts'
import { silentLog } from '../platform/log.ts'
import { exitCodeOf } from './exit-codes.ts'
import { settingsVariable } from './volunteer-settings.ts'

async function run(): Promise<void> {
  const settings = JSON.parse(process.env[settingsVariable] ?? '{}') as VolunteerSettings & {
    readonly isJson: boolean
  }
  // The invitation is nobody else's.
  delete process.env[settingsVariable]
  const tell = (sentence: string) => process.stderr.write(`${sentence}\n`)
  const update = Promise.withResolvers<void>()
  const running = await runVolunteer({ log: silentLog, tell, update: () => update.resolve() }, settings)
  const { peer, link } = running
  if (settings.isJson) process.stdout.write(`${JSON.stringify({ volunteer: peer, page: link })}\n`)
  else
    process.stdout.write(
      `Volunteer ${peer}\nIts page, for you alone: ${link}\nStop it there, or with Ctrl-C.\n`,
    )
  void update.promise.then(async () => {
    await running.close()
    process.exit(updateExitCode)
  })
  const stop = () => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    void running.close().then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

run().catch((error: unknown) => {
  if (!(error instanceof PolyhistorError)) throw error
  process.stderr.write(`polyhistor: ${error.message}\n`)
  process.exit(exitCodeOf(error))
})
