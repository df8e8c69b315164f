// Builds the browser's side into dist/web: names with a hash of what is in them, and a manifest that the server reads.

import { join } from 'node:path'
import { defineConfig } from 'vite'

const entries = [
  'archive.css',
  'archive-request.ts',
  'calendar.ts',
  'frame.ts',
  'compare.ts',
  'console.ts',
  'demo.ts',
  'early.ts',
  'jobs.ts',
  'owner.ts',
  'plan.ts',
  'profile-window.ts',
  'status.ts',
  'stream.ts',
  'upload.ts',
  'icon.svg',
]

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: join(import.meta.dirname, '../dist/web'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    // No file inside another: our policy allows no inline styles or scripts, and every file is small.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: ['chrome123', 'firefox122', 'safari17.5'],
    rolldownOptions: {
      input: entries.map((entry) => join(import.meta.dirname, entry)),
      // The first thing that somebody sees on a slow machine is not to be what took how long.
      checks: { bundlerTimings: false },
    },
  },
})
