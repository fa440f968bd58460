// The parts of Apache ECharts that the report draws with; bundle.go makes dist/echarts.js.gz of them.
import * as core from "echarts/core";
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { AxisPointerComponent, DataZoomComponent, GridComponent, LegendPlainComponent, TitleComponent, TooltipComponent } from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";

core.use([
  BarChart, CustomChart, LineChart, ScatterChart, LabelLayout, AxisPointerComponent, DataZoomComponent, GridComponent, LegendPlainComponent, TitleComponent, TooltipComponent, CanvasRenderer,
]);

globalThis.echarts = { init: core.init, version: core.version };
