// The parts of Apache ECharts that the report draws with; bundle.go makes dist/echarts.js.gz of them.
import * as core from "echarts/core";
import { CustomChart, LineChart } from "echarts/charts";
import { AxisPointerComponent, DataZoomComponent, GridComponent, LegendPlainComponent, TooltipComponent } from "echarts/components";
import { CanvasRenderer } from "echarts/renderers";

// Most of what the report shows it draws itself, as custom series.
core.use([
  CustomChart, LineChart, AxisPointerComponent, DataZoomComponent, GridComponent, LegendPlainComponent, TooltipComponent, CanvasRenderer,
]);

globalThis.echarts = { init: core.init, version: core.version };
