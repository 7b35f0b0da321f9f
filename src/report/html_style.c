/* SPDX-License-Identifier: Apache-2.0 */
/* How pages look. One accent, the colour of what was paid for; lengths and words say the rest. */
#include <stdio.h>

#include "report/html.h"

static const char on_white[] =
        "color-scheme:light dark;--bg:#fff;--ink:#1b2128;--soft:#5a6572;--line:#e2e6ea;"
        "--faint:#f4f6f8";
static const char on_black[] =
        "--bg:#14171b;--ink:#e7eaee;--soft:#9ba6b2;--line:#2c3239;--faint:#1c2026";

static const char rules[] =
        "*{box-sizing:border-box}\n"
        "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
        "body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"
        "\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;overflow-wrap:break-word}\n"
        "main{max-width:1120px;margin:0 auto;padding:40px 40px 32px}\n"
        "h1{font-size:15px;font-weight:600;margin:0}\n"
        "p{margin:4px 0;max-width:80ch;color:var(--soft)}\n"
        ".headline{font-size:26px;line-height:1.3;font-weight:600;letter-spacing:-.01em;"
        "color:var(--ink);max-width:34em;margin:28px 0 0;text-wrap:balance}\n"
        "section{margin:44px 0 0}\n"
        "h2{font-size:17px;font-weight:600;margin:0 0 12px}\n"
        "h3{font-size:15px;font-weight:600;margin:16px 0 4px}\n"
        ".scroll{overflow-x:auto;max-width:100%}\n"
        "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
        "table.fit{width:auto;min-width:min(100%,32rem)}\n"
        "th,td{padding:6px 20px 6px 0;text-align:left;vertical-align:baseline;font-weight:400;"
        "border-bottom:1px solid var(--line)}\n"
        "th:last-child,td:last-child{padding-right:0}\n"
        "thead th,thead td{color:var(--soft);font-size:13px}\n"
        "tbody tr:last-child>*{border-bottom:0}\n"
        "th,td{white-space:nowrap}\n"
        "th.n,td.n{text-align:right}\n"
        "td.w{min-width:15rem;color:var(--soft);white-space:normal}\n"
        ".long{display:inline-block;min-width:10rem;max-width:22rem;white-space:normal;"
        "overflow-wrap:anywhere}\n"
        "td.b{width:30%;min-width:8rem}\n"
        "svg{display:block;overflow:hidden}\n"
        ".bar{width:100%;height:8px;fill:var(--fill)}\n"
        "td.m{padding-right:12px}\n"
        "td.m>.bar{width:72px}\n"
        ".scroll+p{margin-top:10px}\n"
        ".headline+.scroll{margin-top:28px}\n"
        ".band{fill:url(#band)}\n"
        ".key{display:inline-block;width:10px;height:10px;margin-right:8px;flex:none}\n";

static const char fall_rules[] =
        ".fall th,.fall td{border:0;vertical-align:top;padding-top:5px;padding-bottom:5px}\n"
        ".fall thead>*>*{padding-bottom:0}\n"
        ".fall tbody th{font-weight:600}\n"
        ".fall td.b{width:100%;white-space:normal}\n"
        ".fall .bar{height:22px;shape-rendering:crispEdges}\n"
        ".fall .unit{display:none}\n"
        ".fall .amount,.fall .money{color:var(--soft)}\n"
        ".fall .share{font-weight:600}\n"
        ".fall .apart>*{padding-top:22px}\n"
        ".lost{font-size:13px;color:var(--soft);line-height:1.5;padding-top:3px}\n"
        ".lost span{white-space:nowrap;margin-left:10px}\n"
        ".lost .key{margin-right:5px}\n";

static const char stacks_rules[] =
        "p.unit{font-size:13px;margin:0 0 6px}\n"
        ".plot{display:grid;grid-template-columns:auto minmax(0,1fr);column-gap:10px}\n"
        ".y{position:relative;min-width:2.6em;font-size:12px;color:var(--soft);"
        "font-variant-numeric:tabular-nums}\n"
        ".y span{position:absolute;right:0;transform:translateY(50%);line-height:1}\n"
        ".stacks{width:100%;height:260px;overflow:visible;shape-rendering:crispEdges}\n"
        ".stacks line{stroke:var(--line)}\n"
        ".stacks rect:hover{opacity:.72}\n"
        ".x{grid-column:2;position:relative;height:22px;font-size:12px;color:var(--soft);"
        "white-space:nowrap;border-top:1px solid var(--soft)}\n"
        ".x span{position:absolute;top:0;padding:4px 0 0 4px;border-left:1px solid var(--soft)}\n"
        ".legend{list-style:none;margin:14px 0 0;padding:0;display:grid;gap:3px 28px;"
        "grid-template-columns:repeat(auto-fill,minmax(210px,1fr));font-size:13px}\n"
        ".legend li{display:flex;align-items:baseline}\n"
        ".legend span{flex:1}\n"
        ".legend b{font-weight:400;color:var(--soft);font-variant-numeric:tabular-nums}\n"
        "details{margin-top:14px;font-size:13px}\n"
        "summary{color:var(--soft);cursor:pointer}\n"
        ".plain{margin-top:8px}\n"
        ".plain th,.plain td{padding:3px 16px 3px 0;white-space:nowrap}\n"
        "tfoot>*>*{border-top:1px solid var(--soft);border-bottom:0;font-weight:600}\n"
        ".notes{margin:0;padding-left:18px;max-width:84ch;color:var(--soft)}\n"
        ".notes li{margin:3px 0}\n"
        "footer{margin-top:44px;padding-top:12px;border-top:1px solid var(--line);font-size:12px;"
        "color:var(--soft)}\n";

/* A table of a waterfall folds; other tables scroll in their box. */
static const char narrow[] =
        "@media(max-width:1000px){\n"
        "main{padding:32px 24px}\n"
        ".fall,.fall tbody{display:block}\n"
        ".fall thead{display:none}\n"
        ".fall tr{display:grid;grid-template-columns:1fr auto;margin:0 0 12px}\n"
        ".fall th,.fall td{padding:0!important}\n"
        ".fall tbody th{width:auto}\n"
        ".fall td.b{grid-column:1/3;grid-row:2}\n"
        ".fall .amount{text-align:left;font-size:13px}\n"
        ".fall .money{font-size:13px}\n"
        ".fall .unit{display:inline}\n"
        ".fall .apart{margin-top:22px}\n"
        "}\n"
        "@media(max-width:640px){\n"
        "main{padding:20px 16px}\n"
        ".headline{font-size:20px;margin-top:20px}\n"
        "section{margin-top:34px}\n"
        ".stacks{height:200px}\n"
        ".x .odd{display:none}\n"
        ".legend{grid-template-columns:1fr}\n"
        "th,td{padding-right:14px}\n"
        ".scroll tbody th{position:sticky;left:0;background:var(--bg);white-space:normal;"
        "min-width:7rem}\n"
        ".scroll tbody th.k,td.w{white-space:nowrap}\n"
        "td.m>.bar{width:40px}\n"
        ".long{min-width:7rem;max-width:9rem}\n"
        "}\n";

static const char print[] = "@media print{\n"
                            "main{max-width:none;padding:0}\n"
                            "body{font-size:10pt}\n"
                            ".headline{font-size:16pt}\n"
                            "section{margin-top:20pt}\n"
                            "svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
                            ".scroll{overflow:visible}\n"
                            "table{font-size:8.5pt}\n"
                            "th,td{padding-right:10px}\n"
                            "td.w{min-width:8rem}\n"
                            "td.m>.bar{width:48px}\n"
                            "tr,.plot,.legend li,.notes li{break-inside:avoid}\n"
                            "h2{break-after:avoid}\n"
                            "details:not([open]){display:none}\n"
                            "}\n";

static void write_colours(struct text *t, bool black)
{
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		text_printf(t, ";%s--a%d:%s", a % 8 ? "" : "\n", a,
		            black ? account_colours[a].on_black : account_colours[a].on_white);
}

void html_style(struct text *t)
{
	text_add(t, S(":root{"));
	text_add(t, S(on_white));
	text_printf(t, ";--fill:var(--a%d)", (int)ACCOUNT_ACTIVE_PRODUCTIVE);
	write_colours(t, false);
	text_add(t, S("}\n@media screen and (prefers-color-scheme:dark){:root{"));
	text_add(t, S(on_black));
	write_colours(t, true);
	text_add(t, S("}}\n"));
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		text_printf(t, ".a%d{fill:%s%d)}\n", a,
		            account_colours[a].is_hatched ? "url(#h" : "var(--a", a);
	text_add(t, S(rules));
	text_add(t, S(fall_rules));
	text_add(t, S(stacks_rules));
	text_add(t, S(narrow));
	text_add(t, S(print));
}

/* Stripes of COLOUR, ANGLE degrees from upright, on a tint of it. */
static void write_pattern(struct text *t, const char *id, const char *colour, int angle)
{
	text_printf(t,
	            "<pattern id=\"%s\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
	            "patternTransform=\"rotate(%d)\"><rect width=\"5\" height=\"5\" "
	            "fill=\"%s\" fill-opacity=\".22\"/><rect width=\"1.6\" height=\"5\" "
	            "fill=\"%s\"/></pattern>\n",
	            id, angle, colour, colour);
}

void html_patterns(struct text *t)
{
	text_add(t, S("<svg width=\"0\" height=\"0\" style=\"position:absolute\" "
	              "aria-hidden=\"true\"><defs>"));
	write_pattern(t, "band", "var(--fill)", 45);
	for (int a = 0, angle = -45; a < ACCOUNT_COUNT; a++) {
		char id[16], colour[24];
		if (!account_colours[a].is_hatched)
			continue;
		snprintf(id, sizeof id, "h%d", a);
		snprintf(colour, sizeof colour, "var(--a%d)", a);
		write_pattern(t, id, colour, angle);
		angle += 90;
	}
	text_add(t, S("</defs></svg>\n"));
}
