#!/usr/bin/env python3
"""The HTML report in a real browser: it loads without complaint and without the network, filters, moves by keys, is not
fooled by hostile text, and can be read in light and dark, wide and narrow.

    html.py --sample EMIT_SAMPLE --bin TOOL

SCREENSHOTS=DIR in the environment keeps pictures for people to look at. Without a Chromium the test is skipped, unless
CUWARP_NEED_ALL is set.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

FIXTURES = pathlib.Path(__file__).resolve().parent.parent.parent / "fixtures"
OPTIONS = argparse.Namespace(sample=None, bin=None)
SKIPPED = 77  # SKIP_RETURN_CODE of the test
VISIBLE = "[...document.querySelectorAll('main article')].filter(a => a.checkVisibility()).map(a => a.id)"

# Smallest contrast of the texts that matter against what is painted behind them (WCAG 2.2, 1.4.3).
CONTRAST = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  canvas.canvas.width = canvas.canvas.height = 1;
  const rgba = (color, under) => { canvas.fillStyle = `rgb(${under})`; canvas.fillRect(0, 0, 1, 1); canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { const chain = []; for (; e; e = e.parentElement) chain.unshift(e);
    return chain.reduce((c, n) => rgba(getComputedStyle(n).backgroundColor, c), [255, 255, 255]); };
  let worst = [99, ''];
  for (const e of document.querySelectorAll('h3, .where, .badge, .tally, .say, .help, .help b, .facts dt, .facts dd, .warp small, '
       + '.line code i, .line mark, .at, legend, fieldset span, fieldset small, #count, .keys, figcaption, .pill, summary, a, .no')) {
    if (!e.checkVisibility()) continue;
    const under = behind(e), a = light(rgba(getComputedStyle(e).color, under)), b = light(under);
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < worst[0]) worst = [ratio, e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 30)];
  }
  return worst;
})()"""


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.hostile = pathlib.Path(cls.folder.name) / "hostile.html"
        cls.hostile.write_bytes(subprocess.run([OPTIONS.sample, "html"], check=True, capture_output=True).stdout)
        cls.real = pathlib.Path(cls.folder.name) / "real.html"
        subprocess.run([OPTIONS.bin, "--no-cache", "--exit-zero", "--possible", "--output=html:%s" % cls.real,
                        "divergent-barrier", "legacy-warp-intrinsic", "syncwarp-loop-race", "stale-activemask"],
                       check=True, cwd=FIXTURES)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.size(1500, 1000)
        self.browser.scheme("light")

    def show(self, file, fragment=""):
        self.browser.open(file.as_uri() + fragment)

    def visible(self):
        return self.browser.evaluate(VISIBLE)

    def keep(self, name):
        if os.environ.get("SCREENSHOTS"):
            self.browser.screenshot(os.path.join(os.environ["SCREENSHOTS"], name + ".png"))

    def test_nothing_is_complained_about_or_loaded(self):
        for file in (self.hostile, self.real):
            self.show(file)
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual([url for url in self.browser.requests()
                              if url not in ("about:blank", file.as_uri()) and not url.startswith("data:")], [])

    def test_hostile_text_stays_text(self):
        self.show(self.hostile)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img, main script, main b:not([class]) + script').length"), 0)
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 1)
        self.assertIn("</script><img src=x onerror=alert(1)>", self.browser.evaluate("document.querySelector('h3').textContent"))
        self.assertIn("U+202E", self.browser.evaluate("document.querySelector('#f1 .code').textContent"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#f1 mark.main')[0].textContent"), "const")

    def test_a_script_that_got_in_would_not_run(self):
        """The policy, tried: markup put into the page by another way."""
        self.show(self.hostile)
        self.browser.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=\"data:,\" onerror=\"window.got = 1\">'); "
                              "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.got = 1'}))")
        self.browser.evaluate("new Promise(done => setTimeout(done, 100))")
        self.assertIsNone(self.browser.evaluate("window.got ?? null"))

    def test_spans_and_lanes(self):
        self.show(self.hostile)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('#f3 mark')].map(m => m.className.split(' ')[0] + ' ' "
                                               "+ m.textContent).join('|')"),
                         "step threadIdx|step .x|step t < |step 16|main __syncthreads|main ()|note s[t]")
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('#f3 svg.lanes')].map(s => "
                                               "s.querySelectorAll('rect').length + ' ' + s.querySelectorAll('.on').length + ' ' + "
                                               "s.getAttribute('aria-label')).join('|')"),
                         "32 16 lanes 0-15|32 16 lanes 16-31")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#f4 svg.lanes rect').length"), 8)  # block of 40, warp 1
        self.assertEqual(self.browser.evaluate("[...document.querySelector('#f4 .fix .diff').children].map(d => d.className).join(' ')"), "add same")

    def test_filters_by_clicks(self):
        self.show(self.hostile)
        self.browser.click("input[data-key=severity][value=info]")
        self.assertEqual(self.visible(), ["f1", "f2"])
        self.assertEqual(self.browser.evaluate("document.getElementById('count').textContent"), "2 of 4 findings")
        self.browser.click("input[data-key=severity][value=error]")
        self.assertEqual(self.visible(), ["f1", "f2", "f3"])
        self.browser.click("input[data-key=rule][value=divergent-barrier]")
        self.assertEqual(self.visible(), ["f3"])
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('section.file')].map(s => s.hidden)"), [True, False])
        self.browser.click("button[type=reset]")
        self.browser.wait_for("document.getElementById('count').textContent === '4 findings'")
        self.browser.click("input[data-key=file][value='src/reduce.cu']")
        self.assertEqual(self.visible(), ["f3", "f4"])
        self.browser.click("input[data-key=confidence][value=possible]")
        self.assertEqual(self.visible(), ["f4"])

    def test_filters_by_keys(self):
        self.show(self.hostile)
        self.browser.key("/")
        self.browser.call("Input.insertText", text="THREADIDX branch")
        self.assertEqual(self.visible(), ["f3"])
        self.browser.call("Input.insertText", text=" nonsense")
        self.assertEqual(self.visible(), [])
        self.assertFalse(self.browser.evaluate("document.getElementById('none').hidden"))
        self.browser.key("Escape")
        self.browser.wait_for("document.getElementById('count').textContent === '4 findings'")
        for expected in ("f1", "f2", "f3"):
            self.browser.key("j")
            self.assertEqual(self.browser.evaluate("document.activeElement.id"), expected)
        self.browser.key("k")
        self.assertEqual(self.browser.evaluate("document.activeElement.id"), "f2")

    def test_the_address_keeps_the_filters(self):
        self.show(self.hostile)
        self.browser.click("input[data-key=severity][value=warning]")
        self.browser.click("input[data-key=severity][value=error]")
        address = self.browser.evaluate("location.hash")
        self.show(self.hostile, address)
        self.assertEqual(self.visible(), ["f3", "f4"])
        self.show(self.hostile, "#?severity=info&q=nonsense")
        self.assertEqual(self.visible(), [])

    def test_a_rule_opens_behind_its_link(self):
        self.show(self.real)
        rule = self.browser.evaluate("document.querySelector('a.rule').textContent")
        self.browser.click("a.rule")
        self.browser.wait_for("document.getElementById('rule-%s').open" % rule)
        self.assertGreater(self.browser.evaluate("document.querySelectorAll('#rule-%s pre.bad').length" % rule), 0)

    def test_everything_is_there_without_script(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.load("about:blank")
            self.browser.load(self.hostile.as_uri())
            tree = self.browser.call("DOM.getDocument", depth=1)["root"]["nodeId"]
            articles = self.browser.call("DOM.querySelectorAll", nodeId=tree, selector="main article:not([hidden])")
            self.assertEqual(len(articles["nodeIds"]), 4)
            self.assertTrue(self.browser.call("DOM.querySelector", nodeId=tree, selector="#filters[hidden]")["nodeId"])
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)

    def test_contrast_in_both_themes(self):
        for file in (self.hostile, self.real):
            for scheme in ("light", "dark"):
                with self.subTest(file=file.name, scheme=scheme):
                    self.browser.scheme(scheme)
                    self.show(file)
                    self.keep("%s-%s" % (file.stem, scheme))
                    ratio, where = self.browser.evaluate(CONTRAST)
                    self.assertGreaterEqual(ratio, 4.5, where)

    def test_theme_button(self):
        self.show(self.hostile)
        paper = "getComputedStyle(document.body).backgroundColor"
        light = self.browser.evaluate(paper)
        self.browser.click("#theme")
        self.assertEqual(self.browser.evaluate(paper), light)
        self.browser.click("#theme")
        self.assertNotEqual(self.browser.evaluate(paper), light)
        self.assertEqual(self.browser.evaluate("document.getElementById('theme').textContent"), "Theme: dark")

    def test_fits_narrow_screens(self):
        for width in (380, 800, 1100, 1500):
            self.browser.size(width, 900)
            self.show(self.real)
            self.keep("real-%d" % width)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)

    def test_severities_of_rules_stay_in_their_box(self):
        outside = ("[...document.querySelectorAll('.rules summary')].filter(s => { const b = s.querySelector('.badge')"
                   ".getBoundingClientRect(), r = s.parentElement.getBoundingClientRect(); return b.left < r.left || "
                   "b.right > r.right || b.top < r.top || b.bottom > r.bottom; }).map(s => s.parentElement.id)")
        for width in (380, 800, 1200, 1500):
            self.browser.size(width, 900)
            self.show(self.real, "#rules")
            self.assertEqual(self.browser.evaluate(outside), [], width)

    def test_nothing_found(self):
        """No empty column stands where the filters would."""
        clean = pathlib.Path(self.folder.name) / "clean.html"
        subprocess.run([OPTIONS.bin, "--no-cache", "-", "--output=html:%s" % clean], check=True,
                       input=b"__global__ void k(int *out) { out[threadIdx.x] = 1; }\n")
        self.show(clean)
        self.keep("clean")
        self.assertIn("1 of 1 kernel analysed", self.browser.evaluate("document.querySelector('.top').innerText"))
        self.assertLess(self.browser.evaluate("document.querySelector('main').getBoundingClientRect().left"), 300)
        self.assertFalse(self.browser.evaluate("document.querySelector('aside').checkVisibility()"))

    def test_ids_are_unique_and_controls_have_names(self):
        self.show(self.real)
        self.assertEqual(self.browser.evaluate("(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id); "
                                               "return ids.length - new Set(ids).size; })()"), 0)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('input, button, a, svg[role=img]')].filter(e => "
                                               "!(e.textContent.trim() || e.getAttribute('aria-label') || "
                                               "e.closest('label')?.textContent.trim())).length"), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", required=True)
    parser.add_argument("--bin", required=True)
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    OPTIONS.bin, OPTIONS.sample = os.path.abspath(OPTIONS.bin), os.path.abspath(OPTIONS.sample)
    if not browser.find() and not os.environ.get("CUWARP_NEED_ALL"):
        print("skipped: no Chromium is installed (Debian: chromium)")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest])
