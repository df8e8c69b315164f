// Where the browser of the tests is: the one that POLYHISTOR_TEST_CHROMIUM names, else that of @sparticuz/chromium, else an
// installed one.

import { installedBrowser, packedBrowser } from '../src/platform/real/browser/executable.ts'

export async function chromiumExecutable(): Promise<string> {
  const found = process.env.POLYHISTOR_TEST_CHROMIUM ?? (await packedBrowser()) ?? installedBrowser()
  if (found === undefined) throw new Error('No browser: set POLYHISTOR_TEST_CHROMIUM to a Chromium.')
  return found
}
