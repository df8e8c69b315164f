// Imports: `import(…)` in scripts comes here, with the address of the script that it stands in. Bare names are left to the
// page's import map; wombat would take those of a mapped folder for addresses, and forgets what a module is to be read as.

import { firstBase } from './address.js'

export function resolveImports({ replay, timestamp, url: pageUrl }) {
  window.____wb_rewrite_import__ = async (base, url, options) => {
    const specifier = String(url)
    if (!/^\.{0,2}\//.test(specifier) && URL.parse(specifier) === null) return import(specifier, options)
    const from = base === null ? firstBase(pageUrl) : window._wb_wombat.extract_orig(base)
    const { protocol, href } = new URL(window._wb_wombat.extract_orig(specifier), from)
    return import(/^https?:$/.test(protocol) ? `${replay}/web/${timestamp}esm_/${href}` : href, options)
  }
}
